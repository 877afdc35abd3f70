import { describeMatrix } from './matrix-suite.js';

describeMatrix('JSONRPC');
