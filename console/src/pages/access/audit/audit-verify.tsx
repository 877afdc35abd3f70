import { api, type Schema } from '../../../api/client';
import { Button } from '../../../ui/button';
import { Id } from '../../../ui/copy';
import { Dialog } from '../../../ui/dialog';
import { ErrorView, Notice } from '../../../ui/feedback';
import { Facts } from '../../../ui/page';
import { Time } from '../../../ui/time';

/** Reads the whole log and says whether anything in it was changed, added or removed. */
export function AuditVerify() {
  const verify = api.useMutation('post', '/api/v1/audit:verify');
  const isOpen = verify.data !== undefined || verify.error !== null;
  return (
    <>
      <Button small busy={verify.isPending} onClick={() => verify.mutate({ body: {} })}>
        {verify.isPending ? 'Verifying …' : 'Verify the log'}
      </Button>
      <Dialog title="Is the audit log whole?" open={isOpen} onClose={() => verify.reset()}>
        <div className="dialog-body">
          {verify.error !== null && <ErrorView error={verify.error} />}
          {verify.data && <Result result={verify.data} />}
        </div>
      </Dialog>
    </>
  );
}

function Result({ result }: { readonly result: Schema<'VerificationDto'> }) {
  const { valid, chains, entries, unsigned, anchors, newestAnchor, broken } = result;
  return (
    <>
      <Notice tone={valid ? 'good' : 'bad'}>
        {valid
          ? 'Nothing was changed, added or removed, as far as it was signed.'
          : 'The log was changed. The first broken places:'}
      </Notice>
      {broken.length > 0 && (
        <ul className="access-faults">
          {broken.map((place) => (
            <li key={JSON.stringify(place)}>
              <strong>{place.what.replaceAll('-', ' ')}</strong>{' '}
              {place.chain !== null && `chain ${place.chain} `}
              {place.seq !== null && `entry ${place.seq} `}
              {place.anchor !== null && `anchor ${place.anchor}`}
            </li>
          ))}
        </ul>
      )}
      <Facts
        facts={{
          Entries: entries.toLocaleString('en'),
          Chains: chains.toLocaleString('en'),
          'Not signed yet': unsigned.toLocaleString('en'),
          Anchors: anchors.toLocaleString('en'),
          'Newest anchor': newestAnchor && (
            <>
              {newestAnchor.number}, <Time at={newestAnchor.at} />
            </>
          ),
        }}
      />
      {newestAnchor && (
        <p>
          Keep its hash elsewhere: it proves later that nothing before it was taken away.
          <br />
          <Id value={newestAnchor.hash} />
        </p>
      )}
    </>
  );
}
