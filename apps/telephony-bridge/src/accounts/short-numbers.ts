import type { CountryCode } from 'libphonenumber-js';

/**
 * Short numbers of the telephone network, by country: countries, then numbers, separated by commas. In a number x is any digit and *
 * any number of digits. libphonenumber-js has no metadata of short numbers; a test compares these with what libphonenumber itself knows.
 */
function readNumbers(table: string): ReadonlyMap<string, readonly string[]> {
  const lines = table.split(',').map((line) => line.trim().split(/\s+/));
  const isCountryCode = (word: string): boolean => /^[A-Z]{2}$/.test(word);
  const numbersOf = (words: readonly string[]): string[] => words.filter((word) => !isCountryCode(word));
  return new Map(lines.flatMap((words) => words.filter(isCountryCode).map((country) => [country, numbersOf(words)] as const)));
}

/** Emergency numbers that networks of many countries redirect to their own. */
export const emergenciesEverywhere: ReadonlySet<string> = new Set(['112', '911', '999']);

/** Further emergency numbers: police, fire and ambulance. */
const emergencies = readNumbers(`
  AD 110 116 118, AE BW PL SA 997 998, AF 100 102 119, AL 127 128 129, AM AZ BY KG KZ TJ 101 102 103, AO 113 115,
  AR 100 101 107, AT 122 133 144, AU 000 106, AW 100, BA ME 122 123 124, BB 211 311 511, BD 100 101 102 199, BE 100 101,
  BF DJ KM MR SN TD 17 18, BG 150 160 166, BH CY HN MM NG 199, BI 113 117, BJ 114 116 117 118, BL 18, BN 991 993 995,
  BO JP 110 118 119, BR 128 190 192 193, BS SX 919, BT NO SJ SY 110 113, BZ 90 990, CC CX 000, CD 113 114 118 177 188,
  CF 117 118 1220, CG 117 118, CH LI 117 118 144, CI 110 111 170 180, CK 996 998, CL 131 132 133, CM 13 17 113 117,
  CN 110 119 120 122, CO 119 123 132 156, CU 104 105 106, CV 130 131 132, CZ 150 151 152 153 154 155 156 157 158 159, DE EE 110,
  DK FO KE 114, DM KN 333, DZ 14 17, EC 101 102, EG 122 123 180, EH 15 19 177, ER 113 114 116, ES 085 088,
  ET 91 92 93 939 991 997, FJ 917, FR 15 17 18 114, GA 18 13xx 1730, GE 011 022 033 111 113 122,
  GF GP MC MF ML MQ PF PM RE WF 15 17 18, GH 191 192 193, GI 190 199, GM 16 17 18 116 117 118, GR 100 108 166 199,
  GT 110 120 123, GW 113 117 118, GY 912 913, HK 992, HR 93 94 192 193 194, HT 114 118, HU 104 105 107, ID 110 113 118 119,
  IL PS 100 101 102, IN 100 101 102 108 1298 2611, IQ 100 104 115 122, IR 110 115 125, IT SM VA 113 115 118, JM TW 110 119,
  JO 191 192 197, KH 117 118 119 666, KI 192 193 194 195 992 993 994, KP 119 819, KR 113 118 119, LA 190 191 195, LB 140 175,
  LK 110 116 118 119 1990, LR 355, LS 115 117, LT 01 02 03 011 022 033 101 102 103, LU SI 113, LV 01 02 03 110 113,
  LY 190 191 193, MA 15 19 150 177, MD 901 902 903, MG 17 18 117 118, MK XK 192 193 194, MN 100 101 102 103 105, MU 114 115 995,
  MV 102 118 119, MW 199 997 998, MX 060 065 066 068 080, MY 994, MZ 117 119 197 198, NA 10111, NC 15 16 17 18, NE 15 17 18 118,
  NF 955 977, NI 115 118 120 128, NP 100 101 102 103, NR 110 111, NZ RW 111, OM 1444 9999, PE 105 106 116 117, PG 000 110 111,
  PH 117, PK 15 16 115 1122, PT SR TL 115, PY UY 128, RS 92 93 94, RU 01 02 03 101 102 103 104, SE 90000, SG 993 995,
  SK 150 155 158, SL 019, SO 555 888, SV 913, TG 117 118 171 172 177, TH 191 199 1669, TM 01 02 03, TN 190 197 198, TO 922 933,
  TR 110 155 156, TT 990, TZ 110 111 114 115, UA 101 102 103 104, UZ 01 02 03 001 002 003 050, VE 171, VN 113 114 115,
  WS 994 995 996, YE 191 194 195 199, YT 15, ZA 10111 10177, ZM 991 993, ZW 993 994 995
`);

/** Directory enquiries, and services that cost extra: nobody's extensions. Spain's and Italy's 12 and France's 10 are carriers' own. */
const publicServices = readNumbers(`
  AE 181, AR 110, AT 118xx 118xxx, AU 1223 1225 1234 12455 12456 19xxxx 19xxxxx, BE 1204 1207 1212 1234 1304 1307 1313 1404 1414,
  BG CY GR HU IE LU TR 118xx, BH 91xxx 94xxx 98xxx, BL GF GP MF MQ PM 32xx 34xx 36xx 39xx, BR 102, BY UA 109, CA PR US VI 411 976xxxx 5551212,
  CH 1145 18xx, CN KR 114, CZ SK 118x, DE 19222 118xx 118xxx 0137* 0180* 019x* 0900*, DK 118, EE 123 165 118x 118xx 1[2-9]xx 1[2-9]xxx,
  ES 12x 12xx 12xxx 12xxxx 22x 22xx 118xx 905x 907, FI 118 118xx 0600* 0700*, FR 10xx 118xxx 3[2-9]xx, GB GG IM JE 118xxx,
  GI 8[1-689]xx, HK 1081 1083, HR 06x 118xx [6-8]xxxxx, ID 108, IL 144, IN 139 197 1860* 1900*, IT SM VA 12xx 89*, JP 104, LT 118,
  LV 118x 821xx, ML 122x 35xxx 8002x, MX 040 7766 7767 530xx, MY 103, NL 18xx 0900*, NO 18xx, NZ 018 0900*, PL RO SE 118xxx, PT 118xx,
  QA 180 900, RU 09 009, SI 1188, SN 20[246]xxx, TH 1113 1133 1222 1238 1239 1509 1556, TW 104 105 106, ZA 1023, ZW 3[013-57-9]xxx
`);

const known = new WeakMap<readonly string[], RegExp>();

function isAmong(numbers: readonly string[] | undefined, digits: string): boolean {
  if (!numbers) return false;
  let pattern = known.get(numbers);
  if (!pattern) {
    pattern = new RegExp(`^(?:${numbers.join('|').replaceAll('x', '\\d').replaceAll('*', '\\d*')})$`);
    known.set(numbers, pattern);
  }
  return pattern.test(digits);
}

// A whole range is an emergency number only where the country is known to be that one.
const emergenciesAnywhere = new Set([...emergencies.values()].flat().filter((number) => !number.includes('x')));

/** The emergency numbers of these countries; of all countries if ours is unknown. */
export function emergenciesIn(regions: readonly CountryCode[]): { has(digits: string): boolean } {
  const isLocal = (digits: string): boolean =>
    regions.length === 0 ? emergenciesAnywhere.has(digits) : regions.some((region) => isAmong(emergencies.get(region), digits));
  return { has: (digits) => emergenciesEverywhere.has(digits) || isLocal(digits) };
}

/** Shorter ones are extensions more often than numbers behind a prefix for an outside line. */
const prefixedDigitsMin = 5;

/** Whether the network of one of these countries has such a service under these digits, possibly behind a prefix for an outside line. */
export function isPublicService(digits: string, regions: readonly CountryCode[]): boolean {
  const behind = digits.replace(/^[089]/, '');
  const readings = behind.length >= prefixedDigitsMin ? [digits, behind] : [digits];
  return regions.some((region) => readings.some((each) => isAmong(publicServices.get(region), each)));
}
