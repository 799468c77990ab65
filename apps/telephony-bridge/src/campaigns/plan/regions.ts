import { dayOf, daysLater, startOfDay } from '@parley/service-kit';
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { LRUCache } from 'lru-cache';

/** Area codes by time zone, or by zones if an area code is in several. */
const northAmerica: Readonly<Record<string, string>> = {
  'America/New_York':
    '201 202 203 207 212 215 216 220 223 227 229 231 234 239 240 248 252 260 267 269 272 276 283 301 302 304 305 313 315 317 321 ' +
    '324 326 329 330 332 336 339 347 351 352 363 380 386 401 404 407 410 412 413 419 434 436 440 443 445 463 470 472 475 478 484 ' +
    '502 508 513 516 517 518 540 551 561 567 570 571 582 585 586 603 607 609 610 614 616 617 624 631 640 645 646 656 667 678 679 680 ' +
    '681 686 689 703 704 706 716 717 718 724 727 728 732 734 740 743 754 757 762 765 770 771 772 774 781 786 802 803 804 810 813 ' +
    '814 821 826 828 835 838 839 843 845 848 854 856 857 859 860 862 863 864 865 878 904 908 910 912 914 917 919 929 934 937 941 ' +
    '943 947 948 954 959 973 978 980 984 989',
  'America/Chicago':
    '205 210 214 217 218 224 225 228 235 251 254 256 262 274 281 309 312 314 316 318 319 320 325 327 331 334 337 346 353 361 402 ' +
    '405 409 414 417 430 432 447 457 464 469 471 479 483 501 504 507 512 515 531 534 539 557 563 572 573 580 601 608 612 615 618 ' +
    '621 629 630 636 641 651 659 660 662 682 708 712 713 715 726 730 731 737 763 769 773 779 806 815 816 817 830 832 847 861 870 ' +
    '872 901 903 913 918 920 924 931 936 938 940 945 952 956 972 975 979 985',
  'America/Denver': '303 307 385 406 435 505 575 719 720 748 801 915 970 983',
  'America/Phoenix': '480 520 602 623',
  'America/Los_Angeles':
    '206 209 213 253 279 310 323 341 350 357 360 369 408 415 424 425 442 503 509 510 530 559 562 564 619 626 628 650 657 661 669 ' +
    '702 707 714 725 738 747 760 805 818 820 831 837 840 858 909 916 925 949 951 971',
  'Pacific/Honolulu': '808',
  'America/Anchorage,America/Adak': '907',
  'America/Chicago,America/New_York': '219 270 364 423 448 574 606 729 812 850 906 930',
  'America/Denver,America/Chicago': '308 605 620 701 785',
  'America/Phoenix,America/Denver': '928',
  'America/Los_Angeles,America/Denver': '208 458 541 775 986',
  'America/Toronto':
    '226 249 263 289 343 354 365 382 416 437 438 450 468 514 519 548 579 613 647 683 705 742 753 819 873 905 942',
  'America/Toronto,America/Halifax': '273 367 418 581',
  'America/Winnipeg,America/Toronto': '807',
  'America/Winnipeg': '204 431 584',
  'America/Regina,America/Edmonton': '306 474 639',
  'America/Edmonton': '368 403 587 780 825',
  'America/Vancouver': '604',
  'America/Vancouver,America/Edmonton': '236 250 257 672 778',
  'America/Halifax': '506 428 782 902',
  'America/Goose_Bay,America/St_Johns': '709 879',
  'America/Whitehorse,America/Edmonton,America/Winnipeg,America/Toronto': '867',
};

/** Prefixes of national numbers by time zone, in other countries with several zones. The longest matching prefix applies. */
const elsewhere: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AU: {
    'Australia/Sydney': '2',
    'Australia/Lord_Howe': '26563',
    'Australia/Melbourne': '3',
    'Australia/Brisbane': '7',
    // The Gold Coast extends across the border.
    'Australia/Brisbane,Australia/Sydney': '755 756',
    'Australia/Adelaide': '88',
    'Australia/Darwin': '889',
    'Australia/Perth': '89',
  },
  BR: {
    'America/Sao_Paulo': '1 2 3 4 51 53 54 55 61 62 64',
    'America/Fortaleza': '63 7 82 83 84 85 86 87 88 89 91 93 94 96 98 99',
    'America/Recife,America/Noronha': '81',
    'America/Cuiaba': '65 66 67',
    'America/Manaus': '69 92 95',
    'America/Manaus,America/Eirunepe': '97',
    'America/Rio_Branco': '68',
  },
  ID: {
    'Asia/Jakarta': '2 31 32 33 34 35 6 7',
    'Asia/Makassar': '36 37 38 4 511 54 55',
    'Asia/Pontianak': '56',
    'Asia/Jayapura': '9',
  },
  MX: {
    'America/Mexico_City': '2 33 4 5 7 81',
    'America/Cancun': '983 984 987 998',
    'America/Chihuahua': '614',
    'America/Ciudad_Juarez': '656',
    'America/Hermosillo': '662',
    'America/Mazatlan': '667',
    'America/Merida': '999',
    'America/Tijuana': '664 686',
  },
  RU: {
    'Europe/Kaliningrad': '401',
    'Europe/Moscow': '47 48 49 81 820 821 831 833 834 835 836 841 843 844 847 855 86 87',
    'Europe/Samara': '341 842 845 846 848 851',
    'Asia/Yekaterinburg': '342 343 345 346 347 349 351 352 353',
    'Asia/Omsk': '381',
    'Asia/Krasnoyarsk': '382 383 384 385 388 39',
    'Asia/Irkutsk': '301 395',
    'Asia/Yakutsk': '302 416',
    'Asia/Yakutsk,Asia/Vladivostok,Asia/Magadan': '411',
    'Asia/Vladivostok': '421 423 426',
    'Asia/Magadan': '413 424',
    'Asia/Kamchatka': '415 427',
  },
};

/** The zones of each prefix of national numbers, by country. */
const beginnings: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> = new Map(
  Object.entries({ US: northAmerica, CA: northAmerica, ...elsewhere }).map(([country, byZones]) => [
    country,
    new Map(
      Object.entries(byZones).flatMap(([zones, starts]) => starts.split(' ').map((start) => [start, zones.split(',')] as const)),
    ),
  ]),
);
const digitsMax = 5;

/**
 * The possible time zones of a number in a country with several; undefined if the number does not imply any. A contact's own zone takes
 * precedence, since people keep their numbers when they move, and the law of where they are applies.
 */
export function zonesOfNumber(country: string, nationalNumber: string): readonly string[] | undefined {
  const known = beginnings.get(country);
  for (let digits = digitsMax; known && digits > 0; digits -= 1) {
    const zones = known.get(nationalNumber.slice(0, digits));
    if (zones) return zones;
  }
  return undefined;
}

/** Where people are: the country whose law applies, and their time zones. */
interface Region {
  readonly country: string | undefined;
  readonly zones: readonly string[];
}

const nowhere = '--';
const wholeCountry = '*';
const zonesKnown = new Map<string, readonly string[]>();
const callersKnown = new LRUCache<string, { readonly country: string | undefined }>({ max: 10_000 });

/** Current names of zones for which this runtime still uses older ones. */
const newerNames: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Louisville': 'America/Kentucky/Louisville',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};
/** More than all zones and their aliases. */
const namesKnown = new LRUCache<string, string>({ max: 2_000 });

/**
 * The region of a contact as a string, by which contacts are claimed: `IN Asia/Kolkata`. Its time zone is the contact's own, otherwise
 * the number's, the country's or the business's. If a number may be in several zones, all are included:
 * `US America/Chicago,America/New_York`, or `US *` for all zones of the country.
 */
export function regionKey(contact: { readonly number: string; readonly zone?: string }, businessZone: string): string {
  const { country, nationalNumber } = placeOf(contact.number);
  const here = country ?? nowhere;
  if (contact.zone) return `${here} ${zoneNamed(contact.zone)}`;
  const zones = country ? zonesOf(country) : [];
  if (zones.length < 2) return `${here} ${zoneNamed(zones[0] ?? businessZone)}`;
  return `${here} ${zonesOfNumber(here, nationalNumber)?.join() ?? wholeCountry}`;
}

/** The time zone of a region, if it has only one. */
export function zoneOfRegion(key: string): string | null {
  const { zones } = regionOf(key);
  return zones.length === 1 ? (zones[0] ?? null) : null;
}

/** The canonical name of a zone. Contacts are claimed by region, so there should be few regions. */
function zoneNamed(written: string): string {
  const known = namesKnown.get(written);
  if (known !== undefined) return known;
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: written }).resolvedOptions();
  namesKnown.set(written, newerNames[timeZone] ?? timeZone);
  return newerNames[timeZone] ?? timeZone;
}

/** The current date in a region: with several zones from the earliest midnight to the latest, so that it covers the whole day in each. */
export function dayIn(region: string, now: number): { readonly from: number; readonly until: number } {
  const days = regionOf(region).zones.map((zone) => {
    const day = dayOf(new Date(now), zone);
    return { from: startOfDay(day, zone).getTime(), until: startOfDay(daysLater(day, 1), zone).getTime() };
  });
  return { from: Math.min(...days.map(({ from }) => from)), until: Math.max(...days.map(({ until }) => until)) };
}

/** Parses a region's key. */
export function regionOf(key: string): Region {
  const [code = nowhere, zone = 'UTC'] = key.split(' ');
  const country = code === nowhere ? undefined : code;
  return { country, zones: zone === wholeCountry && country ? zonesOf(country) : zone.split(',') };
}

/**
 * The number that a contact is called from: one of its country if there is any. The first attempt always uses the same number for a
 * contact, and each further attempt another.
 */
export function callerFor(
  callers: readonly string[],
  { id, region, attempt }: { readonly id: number; readonly region: string; readonly attempt: number },
): string | undefined {
  const { country } = regionOf(region);
  const near = callers.filter((caller) => country !== undefined && countryOfCaller(caller) === country);
  const pool = near.length > 0 ? near : callers;
  return pool[(id + attempt - 1) % pool.length];
}

/** The country of a caller number, cached since the same few are looked up for every call. */
function countryOfCaller(caller: string): string | undefined {
  const known = callersKnown.get(caller) ?? placeOf(caller);
  callersKnown.set(caller, known);
  return known.country;
}

interface NumberPlace {
  readonly country: string | undefined;
  /** Without the calling code. */
  readonly nationalNumber: string;
}

/** Numbers too new for the library's metadata are still placed in the country of their calling code, if it has only one. */
function placeOf(number: string): NumberPlace {
  const parsed = parsePhoneNumberFromString(number);
  const possible = parsed?.country ? [parsed.country] : (parsed?.getPossibleCountries() ?? []);
  return { country: possible.length === 1 ? possible[0] : undefined, nationalNumber: parsed?.nationalNumber ?? '' };
}

function zonesOf(country: string): readonly string[] {
  const known = zonesKnown.get(country);
  if (known) return known;
  const zones = new Intl.Locale(`und-${country}`).getTimeZones() ?? [];
  zonesKnown.set(country, zones);
  return zones;
}
