/**
 * Ports of services that would take the lines of an HTTP request, or the names in a TLS greeting, for
 * commands: login, mail, files, directories, news, printing, telephony, chat, databases and caches. The
 * list that browsers keep for `fetch`, without what only answers (echo, discard, time), with databases.
 */
export const BLOCKED_PORTS: readonly number[] = [
  0, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111,
  113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 162, 179, 389, 427, 445, 465, 512, 513,
  514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1433,
  1521, 1719, 1720, 1723, 2049, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 6000, 6379, 6566,
  6665, 6666, 6667, 6668, 6669, 6679, 6697, 11_211, 27_017,
];
