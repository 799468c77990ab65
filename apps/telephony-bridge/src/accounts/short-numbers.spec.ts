import { getCountries, getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { addressToDial } from './callable-numbers';
import { emergenciesIn, isPublicService } from './short-numbers';

// What libphonenumber 9.0 (Apache License 2.0, ShortNumberMetadata.xml) knows of short numbers, without those for text messages.
const emergencies = `
  AD 110 116 118, AE BW PL 997 998, AF 100 102 119, AL 127 128 129, AM AZ BY KG KZ TJ UA 101 102 103, AO 113 115,
  AR 100 101 107, AT 122 133 144, AU 000 106, AW 100, BA ME 122 123 124, BB 211 311 511, BD 100 101 102 199, BE 100 101,
  BF DJ KM MR SN TD 17 18, BG 150 160 166, BH CY HN MM NG 199, BI 113 117, BJ 114 116 117 118, BL 18, BN 991 993 995,
  BO 110 118 119, BR 128 190 192 193, BS SX 919, BT NO SJ SY 110 113, BZ 90 990, CC CX 000, CD 113 114 118 177 188,
  CF 117 118 1220, CG 117 118, CH LI 117 118 144, CI 110 111 170 180, CK 996 998, CL 131 132 133, CM 13 17 113 117,
  CN 110 119 120, CO 119 123 132 156, CU 104 105 106, CV 130 131 132, CZ 150 151 152 153 154 155 156 157 158 159, DE EE 110,
  DK FO KE 114, DM KN 333, DZ 14 17, EC 101 102, EG 122 123 180, EH MA 15 19 177, ER 113 114 116, ES 085 088,
  ET 91 92 93 939 991 997, FJ 917, FR GF GP MC MF ML MQ PF PM RE WF 15 17 18, GA 18 1300-1399 1730,
  GE 011 022 033 111 113 122, GH 191 192 193, GI 190 199, GM 16 17 18 116 117 118, GR 100 166 199, GT 110 120 123,
  GW 113 117 118, GY 912 913, HK 992, HR 93 94 192 193 194, HT 114 118, HU 104 105 107, ID 110 113 118 119,
  IL PS 100 101 102, IN 100 101 102 108 1298 2611, IQ 100 104 115 122, IR 110 115 125, IT SM VA 113 115 118,
  JM JP TW 110 119, JO 191 192 197, KH 117 118 119 666, KI 192 193 194 195 992 993 994, KP 119 819, KR 119, LA 190 191 195,
  LB 140 175, LK 110 116 118 119, LR 355, LS 115 117, LT 01 02 03 011 022 033 101 102 103, LU SI 113, LV 01 02 03 110 113,
  LY 190 191 193, MD 901 902 903, MG 17 18 117 118, MK XK 192 193 194, MN 100 101 102 103 105, MU 114 115 995,
  MV 102 118 119, MW 199 997 998, MX 060 065 066 068 080, MZ 117 119 197 198, NA 10111, NC 15 16 17 18, NE 15 17 18 118,
  NF 955 977, NI 115 118 120 128, NP 100 101 102 103, NR 110 111, NZ RW 111, OM 1444 9999, PE 105 116 117, PG 000 110 111,
  PH 117, PK 15 16 115 1122, PT SR TL 115, PY UY 128, RS 92 93 94, RU 01 02 03 101 102 103, SA 997, SE 90000, SG 993 995,
  SK 150 155 158, SL 019, SO 555 888, SV 913, TG 117 118 171 172 177, TH 191 199 1669, TM 01 02 03, TN 190 197 198,
  TO 922 933, TR 110 155, TT 990, TZ 110 111 114 115, UZ 01 02 03 001 002 003 050, VE 171, VN 113 114 115, WS 994 995 996,
  YE 191 194 195 199, YT 15, ZA 10111 10177, ZM 991 993, ZW 993 994 995,
`;
const premium = `
  AU 1234 12456, BE 1204 1212 1234 1304 1307 1313 1404 1414, BH 91000-91999 94000-94999 98000-98554 98556-98999, BL GF GP MF
  MQ PM 3200-3299 3400-3499 3600-3699 3900-3999, CH 1145 1802 1811 1818-1820 1850 1880 1888 1899, EE 123 165 1184 1200
  1202-1203 1207-1208 1210-1214 1220 1222-1224 1242 1300 1313-1314 1317 1322-1323 1330 1334 1337 1345 1424 1500-1503
  1516-1517 1524-1526 1543 1551-1556 1559 1591 1599 1619 1626 1628 1660-1663 1665 1669 1691 1700 1702-1703 1714 1716-1720
  1770-1775 1777 1782 1817 1881-1882 1888 1899-1900 1911-1913 1916 1918-1919 1921 11800 12000-12009 12011-12012 12020-12039
  12070-12089 12100-12149 12160 12200-12249 12252 12255 12420-12429 12442 12444 12551-12552 12554-12555 12557 13000-13009
  13033 13300-13309 13320 13322 13340-13349 13370-13379 13388 13430-13439 13443-13444 13450-13459 13531 13550 13555 13666
  14200 14240-14249 14408 14410 14412 14900 15150 15153 15155 15157 15160-15179 15240-15269 15430-15439 15444 15510-15569
  15590-15599 15910-15919 15930 15990-15999 16100 16111 16119 16130-16139 16150-16199 16222 16260-16269 16280-16289 16363
  16600-16639 16650-16662 16666 16690-16699 16755 16788 16910-16919 17000-17010 17017 17020-17039 17120 17123-17124
  17140-17149 17160-17209 17220 17700-17759 17770-17779 17797 17799 17808 17820-17829 17880-17881 17888 17900 17997
  19000-19009 19090 19096 19099, ES 120-129 220-229 907 1200-1299 2200-2299 9051-9052 9054-9055 9057-9058 11800-11899
  12000-12999 120000-129999, FR 1000-1099 3200-3999 118000-118999, GI 8100-8699 8900-8999, HR 060-069 11800-11899
  600000-899999, IT 1200-1299, LV 1180 82154 82174, ML 1221 1223 35211 35220 35222 35230 35234-35236 35299 80021-80022, MX
  7766 53053, QA 900, RO 118300 118932, SE 118118-118119, SN 202000-202999 204000-204999 206000-206999, TH 1113 1222
  1238-1239 1509 1556, TW 105-106, ZW 30000-31999 33000-35999 37000-39999,
`;

/** All numbers of a table, with the country of each. */
const numbersOf = (table: string) =>
  table.split(',').flatMap((line) => {
    const words = line.trim().split(/\s+/).filter(Boolean);
    const numbers = words.filter((word) => /^\d/.test(word)).flatMap(numbersIn);
    return words.filter((word) => isSupportedCountry(word)).flatMap((country) => numbers.map((number) => ({ country, number })));
  });

const numbersIn = (range: string): string[] => {
  const [from = '', to = from] = range.split('-');
  return Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => String(Number(from) + at).padStart(from.length, '0'));
};

describe('short numbers of the telephone network', () => {
  it('include every emergency number that libphonenumber knows', () => {
    const all = numbersOf(emergencies);
    expect(new Set(all.map(({ country }) => country)).size).toBeGreaterThan(150);
    expect(all.filter(({ country, number }) => !emergenciesIn([country]).has(number))).toEqual([]);
    for (const country of getCountries())
      for (const number of ['112', '911', '999']) expect(emergenciesIn([country]).has(number)).toBe(true);
  });

  it('include every number for calls that costs extra as far as libphonenumber knows', () => {
    const all = numbersOf(premium);
    expect(all.length).toBeGreaterThan(20_000);
    expect(all.filter(({ country, number }) => !isPublicService(number, [country]))).toEqual([]);
  });

  it.each([
    ['US', '411', '976 1234', '9 411 0000'],
    ['GB', '118500', '9118500', '500'],
    ['DE', '11880', '0137123', '80'],
    ['IN', '197', '1860123', '201'],
    ['FR', '118218', '3200', '1850'],
    ['AU', '1223', '12455', '1201'],
  ] as const)(
    'include directory enquiries of %s, such as %s and %s, but not its other numbers, such as %s',
    (country, one, two, other) => {
      const isService = (number: string) => isPublicService(number.replaceAll(' ', ''), [country]);
      expect([isService(one), isService(two), isService(other)]).toEqual([true, true, false]);
    },
  );

  it('take no extension for a service of another country, nor a range for an emergency number where the country is unknown', () => {
    for (const number of ['411', '118500', '3200']) expect(isPublicService(number, [])).toBe(false);
    expect([emergenciesIn([]).has('1350'), emergenciesIn(['GA']).has('1350'), emergenciesIn([]).has('1990')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('are in no address behind the code of their country and further digits, unless that is a valid number', () => {
    const ofCarriers = { dials: 'extensions', dialsAddresses: true } as const;
    const line = { number: '+912025501234', country: null, dials: ofCarriers, callsCostlyNumbers: false };
    const all = [
      ...numbersOf(emergencies),
      ...numbersOf(premium.replaceAll(/-\d+/g, '')),
      ...numbersOf('GB 118500 118247, DE 11880'),
    ];
    const forms = all.flatMap(({ country, number }) =>
      ['1', '555'].map((between) => `+${getCountryCallingCode(country)}${between}${number}`),
    );
    const invalid = forms.filter((form) => parsePhoneNumberFromString(form)?.isValid() !== true);
    expect(invalid.length).toBeGreaterThan(1000);
    expect(invalid.filter((form) => addressToDial(form, line).says === undefined)).toEqual([]);
    for (const form of ['00441118500', '+44 1 118 500', 'sip:+441118500@pbx.example', 'sip:%2B4919222@pbx.example', '+49111880'])
      expect([form, addressToDial(form, line)]).toEqual([form, { says: expect.any(String) }]);
  });
});
