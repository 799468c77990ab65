import type { Labels, SeedEntry } from '../lookup-tables';

const icon = (id: number, name: string, labels: Labels, drawing: string): SeedEntry => ({
  kind: 'icon',
  id,
  name,
  labels,
  details: { svg: framed(drawing) },
});

/** A line drawing of 24×24 in the colour of the surrounding text. */
function framed(drawing: string): string {
  const pen = 'fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" ${pen}>${drawing}</svg>`;
}

/** Pictures for agents. */
export const icons: readonly SeedEntry[] = [
  icon(
    1,
    'headset',
    { en: 'Headset', hi: 'हेडसेट', mr: 'हेडसेट' },
    '<path d="M4 14v-2a8 8 0 0 1 16 0v2"/><rect x="2" y="14" width="5" height="6" rx="2"/><rect x="17" y="14" width="5" height="6" rx="2"/>',
  ),
  icon(
    2,
    'calendar',
    { en: 'Calendar', hi: 'कैलेंडर', mr: 'दिनदर्शिका' },
    '<rect x="3" y="5" width="18" height="16" rx="2"/><path d="M3 10h18M8 3v4M16 3v4"/>',
  ),
  icon(
    3,
    'parcel',
    { en: 'Parcel', hi: 'पार्सल', mr: 'पार्सल' },
    '<path d="M3 8l9-5 9 5v8l-9 5-9-5z"/><path d="M3 8l9 5 9-5M12 13v8"/>',
  ),
  icon(4, 'funnel', { en: 'Funnel', hi: 'फ़नल', mr: 'फनेल' }, '<path d="M3 4h18l-7 9v6l-4 2v-8z"/>'),
  icon(
    5,
    'coin',
    { en: 'Coin', hi: 'सिक्का', mr: 'नाणे' },
    '<circle cx="12" cy="12" r="9"/><path d="M9 8h6M9 11h6M9 8c5 0 5 6 0 6l4 4"/>',
  ),
  icon(
    6,
    'clipboard',
    { en: 'Clipboard', hi: 'क्लिपबोर्ड', mr: 'क्लिपबोर्ड' },
    '<rect x="5" y="5" width="14" height="16" rx="2"/><path d="M9 3h6v4H9zM9 12h6M9 16h4"/>',
  ),
  icon(7, 'bell', { en: 'Bell', hi: 'घंटी', mr: 'घंटा' }, '<path d="M5 18c2-2 1-9 3-11s6-2 8 0 1 9 3 11z"/><path d="M10 21h4"/>'),
  icon(
    8,
    'wrench',
    { en: 'Wrench', hi: 'रिंच', mr: 'पाना' },
    '<path d="M20 6l-4 4-3-3 4-4a5 5 0 0 0-6 7L3 18l3 3 8-8a5 5 0 0 0 6-7z"/>',
  ),
  icon(
    9,
    'truck',
    { en: 'Truck', hi: 'ट्रक', mr: 'ट्रक' },
    '<path d="M2 6h12v11H2zM14 10h4l4 4v3h-8"/><circle cx="7" cy="18" r="2"/><circle cx="18" cy="18" r="2"/>',
  ),
  icon(10, 'house', { en: 'House', hi: 'घर', mr: 'घर' }, '<path d="M3 11l9-8 9 8"/><path d="M5 9v12h14V9M10 21v-6h4v6"/>'),
  icon(11, 'cross', { en: 'Medical cross', hi: 'चिकित्सा चिह्न', mr: 'वैद्यकीय चिन्ह' }, '<path d="M9 3h6v6h6v6h-6v6H9v-6H3V9h6z"/>'),
  icon(
    12,
    'bed',
    { en: 'Bed', hi: 'बिस्तर', mr: 'बिछाना' },
    '<path d="M3 19V6M3 16h18v3M21 16v-3a3 3 0 0 0-3-3h-8v6"/><circle cx="6.5" cy="12" r="1.5"/>',
  ),
  icon(
    13,
    'book',
    { en: 'Book', hi: 'किताब', mr: 'पुस्तक' },
    '<path d="M12 6c-3-2-6-2-9-1v14c3-1 6-1 9 1 3-2 6-2 9-1V5c-3-1-6-1-9 1zM12 6v14"/>',
  ),
  icon(
    14,
    'speech',
    { en: 'Speech bubble', hi: 'बातचीत', mr: 'संवाद' },
    '<path d="M4 4h16v12H10l-5 4v-4H4z"/><path d="M8 9h8M8 12h5"/>',
  ),
];

/** The IANA time zones by continent. The position in this list determines the id: add only at the end of the file. */
const zonesByContinent: readonly (readonly [continent: string, cities: string])[] = [
  ['Asia', 'Kolkata'],
  ['', 'UTC'],
  [
    'Africa',
    `
      Abidjan Accra Addis_Ababa Algiers Asmara Bamako Bangui Banjul Bissau Blantyre Brazzaville Bujumbura Cairo Casablanca
      Ceuta Conakry Dakar Dar_es_Salaam Djibouti Douala El_Aaiun Freetown Gaborone Harare Johannesburg Juba Kampala Khartoum
      Kigali Kinshasa Lagos Libreville Lome Luanda Lubumbashi Lusaka Malabo Maputo Maseru Mbabane Mogadishu Monrovia Nairobi
      Ndjamena Niamey Nouakchott Ouagadougou Porto-Novo Sao_Tome Tripoli Tunis Windhoek`,
  ],
  [
    'America',
    `
      Adak Anchorage Anguilla Antigua Araguaina Argentina/Buenos_Aires Argentina/Catamarca Argentina/Cordoba Argentina/Jujuy
      Argentina/La_Rioja Argentina/Mendoza Argentina/Rio_Gallegos Argentina/Salta Argentina/San_Juan Argentina/San_Luis
      Argentina/Tucuman Argentina/Ushuaia Aruba Asuncion Atikokan Bahia Bahia_Banderas Barbados Belem Belize Blanc-Sablon
      Boa_Vista Bogota Boise Cambridge_Bay Campo_Grande Cancun Caracas Cayenne Cayman Chicago Chihuahua Ciudad_Juarez
      Costa_Rica Coyhaique Creston Cuiaba Curacao Danmarkshavn Dawson Dawson_Creek Denver Detroit Dominica Edmonton Eirunepe
      El_Salvador Fort_Nelson Fortaleza Glace_Bay Goose_Bay Grand_Turk Grenada Guadeloupe Guatemala Guayaquil Guyana Halifax
      Havana Hermosillo Indiana/Indianapolis Indiana/Knox Indiana/Marengo Indiana/Petersburg Indiana/Tell_City Indiana/Vevay
      Indiana/Vincennes Indiana/Winamac Inuvik Iqaluit Jamaica Juneau Kentucky/Louisville Kentucky/Monticello Kralendijk
      La_Paz Lima Los_Angeles Lower_Princes Maceio Managua Manaus Marigot Martinique Matamoros Mazatlan Menominee Merida
      Metlakatla Mexico_City Miquelon Moncton Monterrey Montevideo Montserrat Nassau New_York Nome Noronha North_Dakota/Beulah
      North_Dakota/Center North_Dakota/New_Salem Nuuk Ojinaga Panama Paramaribo Phoenix Port-au-Prince Port_of_Spain
      Porto_Velho Puerto_Rico Punta_Arenas Rankin_Inlet Recife Regina Resolute Rio_Branco Santarem Santiago Santo_Domingo
      Sao_Paulo Scoresbysund Sitka St_Barthelemy St_Johns St_Kitts St_Lucia St_Thomas St_Vincent Swift_Current Tegucigalpa
      Thule Tijuana Toronto Tortola Vancouver Whitehorse Winnipeg Yakutat`,
  ],
  [
    'Antarctica',
    `
      Casey Davis DumontDUrville Macquarie Mawson McMurdo Palmer Rothera Syowa Troll Vostok`,
  ],
  [
    'Arctic',
    `
      Longyearbyen`,
  ],
  [
    'Asia',
    `
      Aden Almaty Amman Anadyr Aqtau Aqtobe Ashgabat Atyrau Baghdad Bahrain Baku Bangkok Barnaul Beirut Bishkek Brunei Chita
      Colombo Damascus Dhaka Dili Dubai Dushanbe Famagusta Gaza Hebron Ho_Chi_Minh Hong_Kong Hovd Irkutsk Jakarta Jayapura
      Jerusalem Kabul Kamchatka Karachi Kathmandu Khandyga Krasnoyarsk Kuala_Lumpur Kuching Kuwait Macau Magadan Makassar
      Manila Muscat Nicosia Novokuznetsk Novosibirsk Omsk Oral Phnom_Penh Pontianak Pyongyang Qatar Qostanay Qyzylorda Riyadh
      Sakhalin Samarkand Seoul Shanghai Singapore Srednekolymsk Taipei Tashkent Tbilisi Tehran Thimphu Tokyo Tomsk Ulaanbaatar
      Urumqi Ust-Nera Vientiane Vladivostok Yakutsk Yangon Yekaterinburg Yerevan`,
  ],
  [
    'Atlantic',
    `
      Azores Bermuda Canary Cape_Verde Faroe Madeira Reykjavik South_Georgia St_Helena Stanley`,
  ],
  [
    'Australia',
    `
      Adelaide Brisbane Broken_Hill Darwin Eucla Hobart Lindeman Lord_Howe Melbourne Perth Sydney`,
  ],
  [
    'Europe',
    `
      Amsterdam Andorra Astrakhan Athens Belgrade Berlin Bratislava Brussels Bucharest Budapest Busingen Chisinau Copenhagen
      Dublin Gibraltar Guernsey Helsinki Isle_of_Man Istanbul Jersey Kaliningrad Kirov Kyiv Lisbon Ljubljana London Luxembourg
      Madrid Malta Mariehamn Minsk Monaco Moscow Oslo Paris Podgorica Prague Riga Rome Samara San_Marino Sarajevo Saratov
      Simferopol Skopje Sofia Stockholm Tallinn Tirane Ulyanovsk Vaduz Vatican Vienna Vilnius Volgograd Warsaw Zagreb Zurich`,
  ],
  [
    'Indian',
    `
      Antananarivo Chagos Christmas Cocos Comoro Kerguelen Mahe Maldives Mauritius Mayotte Reunion`,
  ],
  [
    'Pacific',
    `
      Apia Auckland Bougainville Chatham Chuuk Easter Efate Fakaofo Fiji Funafuti Galapagos Gambier Guadalcanal Guam Honolulu
      Kanton Kiritimati Kosrae Kwajalein Majuro Marquesas Midway Nauru Niue Norfolk Noumea Pago_Pago Palau Pitcairn Pohnpei
      Port_Moresby Rarotonga Saipan Tahiti Tarawa Tongatapu Wake Wallis`,
  ],
];

/** Every time zone by name, in the order of its id: Asia/Kolkata is 1. */
export const timeZoneNames: readonly string[] = zonesByContinent.flatMap(([continent, cities]) =>
  cities
    .trim()
    .split(/\s+/)
    .map((city) => (continent ? `${continent}/${city}` : city)),
);
