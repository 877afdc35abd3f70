export { DataModule } from './data.module.js';
export { OwnedKinds } from './owned-kinds.js';
