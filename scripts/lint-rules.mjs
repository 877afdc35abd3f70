// Rules of this project that oxlint does not have.
const noDateOfNow = {
  create: (context) => ({
    NewExpression(node) {
      if (node.callee.name !== 'Date' || node.arguments.length > 0) return;
      context.report({ node, message: 'Take the time from Clock.' });
    },
  }),
};

export default { meta: { name: 'hub' }, rules: { 'no-date-of-now': noDateOfNow } };
