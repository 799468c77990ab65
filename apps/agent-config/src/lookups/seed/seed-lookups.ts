import type { QueryRunner } from 'typeorm';
import {
  appointmentBooking,
  frontDesk,
  leadQualification,
  orderStatus,
  paymentReminder,
  survey,
  techSupport,
} from '../templates/by-task';
import { clinic, delivery, education, hotel, realEstate } from '../templates/by-trade';
import { type AgentTemplate, keyIdOf, type Labels, numbered, type SeedEntry, templateEntry } from '../lookup-tables';
import { icons, timeZoneNames } from './seed-data';

const templates: readonly AgentTemplate[] = [
  appointmentBooking,
  orderStatus,
  leadQualification,
  paymentReminder,
  survey,
  frontDesk,
  techSupport,
  delivery,
  realEstate,
  clinic,
  hotel,
  education,
];

/** Every template as a choice of its lookup. */
export const templateEntries = templates.map(templateEntry);

/** Countries with their ISO codes. The position in this list determines the id: add only at the end. */
const countries = `
  IN India | US United States | GB United Kingdom | AE United Arab Emirates | SG Singapore | AU Australia | CA Canada |
  AF Afghanistan | AX Åland Islands | AL Albania | DZ Algeria | AS American Samoa | AD Andorra | AO Angola | AI Anguilla |
  AQ Antarctica | AG Antigua & Barbuda | AR Argentina | AM Armenia | AW Aruba | AT Austria | AZ Azerbaijan | BS Bahamas |
  BH Bahrain | BD Bangladesh | BB Barbados | BY Belarus | BE Belgium | BZ Belize | BJ Benin | BM Bermuda | BT Bhutan |
  BO Bolivia | BA Bosnia & Herzegovina | BW Botswana | BV Bouvet Island | BR Brazil | IO British Indian Ocean Territory |
  VG British Virgin Islands | BN Brunei | BG Bulgaria | BF Burkina Faso | BI Burundi | KH Cambodia | CM Cameroon |
  CV Cape Verde | BQ Caribbean Netherlands | KY Cayman Islands | CF Central African Republic | TD Chad | CL Chile | CN China |
  CX Christmas Island | CC Cocos (Keeling) Islands | CO Colombia | KM Comoros | CG Congo - Brazzaville | CD Congo - Kinshasa |
  CK Cook Islands | CR Costa Rica | CI Côte d’Ivoire | HR Croatia | CU Cuba | CW Curaçao | CY Cyprus | CZ Czechia | DK Denmark |
  DJ Djibouti | DM Dominica | DO Dominican Republic | EC Ecuador | EG Egypt | SV El Salvador | GQ Equatorial Guinea |
  ER Eritrea | EE Estonia | SZ Eswatini | ET Ethiopia | FK Falkland Islands | FO Faroe Islands | FJ Fiji | FI Finland |
  FR France | GF French Guiana | PF French Polynesia | TF French Southern Territories | GA Gabon | GM Gambia | GE Georgia |
  DE Germany | GH Ghana | GI Gibraltar | GR Greece | GL Greenland | GD Grenada | GP Guadeloupe | GU Guam | GT Guatemala |
  GG Guernsey | GN Guinea | GW Guinea-Bissau | GY Guyana | HT Haiti | HM Heard & McDonald Islands | HN Honduras |
  HK Hong Kong SAR China | HU Hungary | IS Iceland | ID Indonesia | IR Iran | IQ Iraq | IE Ireland | IM Isle of Man |
  IL Israel | IT Italy | JM Jamaica | JP Japan | JE Jersey | JO Jordan | KZ Kazakhstan | KE Kenya | KI Kiribati | KW Kuwait |
  KG Kyrgyzstan | LA Laos | LV Latvia | LB Lebanon | LS Lesotho | LR Liberia | LY Libya | LI Liechtenstein | LT Lithuania |
  LU Luxembourg | MO Macao SAR China | MG Madagascar | MW Malawi | MY Malaysia | MV Maldives | ML Mali | MT Malta |
  MH Marshall Islands | MQ Martinique | MR Mauritania | MU Mauritius | YT Mayotte | MX Mexico | FM Micronesia | MD Moldova |
  MC Monaco | MN Mongolia | ME Montenegro | MS Montserrat | MA Morocco | MZ Mozambique | MM Myanmar (Burma) | NA Namibia |
  NR Nauru | NP Nepal | NL Netherlands | NC New Caledonia | NZ New Zealand | NI Nicaragua | NE Niger | NG Nigeria | NU Niue |
  NF Norfolk Island | KP North Korea | MK North Macedonia | MP Northern Mariana Islands | NO Norway | OM Oman | PK Pakistan |
  PW Palau | PS Palestinian Territories | PA Panama | PG Papua New Guinea | PY Paraguay | PE Peru | PH Philippines |
  PN Pitcairn Islands | PL Poland | PT Portugal | PR Puerto Rico | QA Qatar | RE Réunion | RO Romania | RU Russia | RW Rwanda |
  WS Samoa | SM San Marino | ST São Tomé & Príncipe | SA Saudi Arabia | SN Senegal | RS Serbia | SC Seychelles |
  SL Sierra Leone | SX Sint Maarten | SK Slovakia | SI Slovenia | SB Solomon Islands | SO Somalia | ZA South Africa |
  GS South Georgia & South Sandwich Islands | KR South Korea | SS South Sudan | ES Spain | LK Sri Lanka | BL St. Barthélemy |
  SH St. Helena | KN St. Kitts & Nevis | LC St. Lucia | MF St. Martin | PM St. Pierre & Miquelon | VC St. Vincent & Grenadines |
  SD Sudan | SR Suriname | SJ Svalbard & Jan Mayen | SE Sweden | CH Switzerland | SY Syria | TW Taiwan | TJ Tajikistan |
  TZ Tanzania | TH Thailand | TL Timor-Leste | TG Togo | TK Tokelau | TO Tonga | TT Trinidad & Tobago | TN Tunisia |
  TR Türkiye | TM Turkmenistan | TC Turks & Caicos Islands | TV Tuvalu | UM U.S. Outlying Islands | VI U.S. Virgin Islands |
  UG Uganda | UA Ukraine | UY Uruguay | UZ Uzbekistan | VU Vanuatu | VA Vatican City | VE Venezuela | VN Vietnam |
  WF Wallis & Futuna | EH Western Sahara | YE Yemen | ZM Zambia | ZW Zimbabwe`;

/** Every region in the order of its id: India is 1. */
const regions: readonly { readonly countryCode: string; readonly name: string }[] = countries.split('|').map((country) => {
  const [countryCode = '', ...words] = country.trim().split(/\s+/);
  return { countryCode, name: words.join(' ') };
});

const tone = (id: number, labels: Labels, manner: string): SeedEntry => ({
  kind: 'tone',
  id,
  name: labels.en,
  labels,
  details: { manner },
});

/** Agents' tones of voice. `manner` is the instruction for the model. */
const tones: readonly SeedEntry[] = [
  tone(1, { en: 'Friendly', hi: 'मित्रवत', mr: 'मैत्रीपूर्ण' }, 'Be warm and friendly, as with a regular customer.'),
  tone(2, { en: 'Professional', hi: 'पेशेवर', mr: 'व्यावसायिक' }, 'Be professional: precise, courteous and to the point.'),
  tone(3, { en: 'Formal', hi: 'औपचारिक', mr: 'औपचारिक' }, 'Be formal: use polite forms of address and complete sentences.'),
  tone(
    4,
    { en: 'Empathetic', hi: 'सहानुभूतिपूर्ण', mr: 'सहानुभूतीपूर्ण' },
    'Be empathetic: acknowledge how the other person feels before you help.',
  ),
  tone(5, { en: 'Enthusiastic', hi: 'उत्साही', mr: 'उत्साही' }, 'Be enthusiastic and encouraging without exaggerating.'),
  tone(6, { en: 'Calm', hi: 'शांत', mr: 'शांत' }, 'Be calm and patient; never rush the other person.'),
  tone(7, { en: 'Concise', hi: 'संक्षिप्त', mr: 'थोडक्यात' }, 'Be brief: one short sentence is usually enough.'),
  tone(8, { en: 'Persuasive', hi: 'प्रेरक', mr: 'प्रभावी' }, 'Be persuasive by benefits and facts, never by pressure.'),
];

/** The businesses that agents speak for. */
const industries = numbered('industry', [
  ['Retail', 'खुदरा व्यापार', 'किरकोळ व्यापार'],
  ['Healthcare', 'स्वास्थ्य सेवा', 'आरोग्य सेवा'],
  ['Banking and finance', 'बैंकिंग और वित्त', 'बँकिंग आणि वित्त'],
  ['Insurance', 'बीमा', 'विमा'],
  ['Real estate', 'अचल संपत्ति', 'स्थावर मालमत्ता'],
  ['Education', 'शिक्षा', 'शिक्षण'],
  ['Travel and hospitality', 'यात्रा और आतिथ्य', 'प्रवास आणि आदरातिथ्य'],
  ['Restaurants', 'रेस्तराँ', 'उपाहारगृहे'],
  ['Logistics', 'रसद और परिवहन', 'मालवाहतूक'],
  ['Telecom', 'दूरसंचार', 'दूरसंचार'],
  ['Information technology', 'सूचना प्रौद्योगिकी', 'माहिती तंत्रज्ञान'],
  ['Automotive', 'वाहन उद्योग', 'वाहन उद्योग'],
  ['Manufacturing', 'विनिर्माण', 'उत्पादन'],
  ['Agriculture', 'कृषि', 'शेती'],
  ['Energy and utilities', 'ऊर्जा और उपयोगिताएँ', 'ऊर्जा आणि उपयुक्तता सेवा'],
  ['Government', 'सरकार', 'शासन'],
  ['Non-profit', 'गैर-लाभकारी', 'ना-नफा संस्था'],
  ['Professional services', 'व्यावसायिक सेवाएँ', 'व्यावसायिक सेवा'],
  ['Media and entertainment', 'मीडिया और मनोरंजन', 'माध्यमे आणि मनोरंजन'],
  ['Other', 'अन्य', 'इतर'],
]);

/** The purposes of agents. */
const agentTypes = numbered('agent-type', [
  ['Customer support', 'ग्राहक सहायता', 'ग्राहक सेवा'],
  ['Sales', 'बिक्री', 'विक्री'],
  ['Appointment booking', 'अपॉइंटमेंट बुकिंग', 'भेटीची वेळ ठरवणे'],
  ['Lead qualification', 'लीड परखना', 'संभाव्य ग्राहक तपासणी'],
  ['Reminder', 'अनुस्मारक', 'स्मरणपत्र'],
  ['Survey', 'सर्वेक्षण', 'सर्वेक्षण'],
  ['Front desk', 'स्वागत कक्ष', 'स्वागत कक्ष'],
  ['Technical support', 'तकनीकी सहायता', 'तांत्रिक सहाय्य'],
  ['Collections', 'वसूली', 'वसुली'],
  ['Delivery', 'डिलीवरी', 'वितरण'],
  ['Information', 'जानकारी', 'माहिती'],
  ['Other', 'अन्य', 'इतर'],
]);

const language = (id: number, name: string, tag: string, labels: Labels): SeedEntry => ({
  kind: 'language',
  id,
  name,
  labels,
  details: { tag },
});

/** The languages that agents speak, with the ids in the specification. */
const languages: readonly SeedEntry[] = [
  language(1, 'english', 'en-IN', { en: 'English', hi: 'अंग्रेज़ी', mr: 'इंग्रजी' }),
  language(2, 'hindi', 'hi-IN', { en: 'Hindi', hi: 'हिन्दी', mr: 'हिंदी' }),
  language(3, 'marathi', 'mr-IN', { en: 'Marathi', hi: 'मराठी', mr: 'मराठी' }),
];

const regionEntries = regions.map(({ countryCode, name }, index): SeedEntry => ({
  kind: 'region',
  id: index + 1,
  name,
  labels: null,
  details: { countryCode },
}));
const timeZoneEntries = timeZoneNames.map((name, index): SeedEntry => ({
  kind: 'time-zone',
  id: index + 1,
  name,
  labels: null,
  details: {},
}));

/** Every choice of every table in this release. */
export const seedEntries: readonly SeedEntry[] = [
  ...agentTypes,
  ...regionEntries,
  ...timeZoneEntries,
  ...industries,
  ...tones,
  ...icons,
  ...languages,
  ...templateEntries,
];

/**
 * For migrations: updates the tables to the choices of this release. A release that adds or rewords choices adds a migration that
 * calls this again. Nothing is ever removed, because agents refer to these ids.
 */
export async function seedLookups(runner: QueryRunner): Promise<void> {
  const rows = seedEntries.map((entry) => ({ ...entry, key_id: keyIdOf(entry) }));
  await runner.query(
    `INSERT INTO lookups (kind, id, key_id, name, labels, details)
     SELECT kind, id, key_id, name, labels, details
     FROM jsonb_to_recordset($1::jsonb) AS given (kind text, id int, key_id uuid, name text, labels jsonb, details jsonb)
     ON CONFLICT (kind, id) DO UPDATE SET name = excluded.name, labels = excluded.labels, details = excluded.details`,
    [JSON.stringify(rows)],
  );
}
