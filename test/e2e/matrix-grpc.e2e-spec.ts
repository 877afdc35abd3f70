import { describeMatrix } from './matrix-suite.js';

describeMatrix('GRPC');
