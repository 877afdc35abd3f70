import { describeMatrix } from './matrix-suite.js';

describeMatrix('HTTP+JSON');
