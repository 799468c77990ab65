import { type Labels, type SeedEntry } from './seed-entry';

const tone = (id: number, labels: Labels, manner: string): SeedEntry => ({
  kind: 'tone',
  id,
  name: labels.en,
  labels,
  details: { manner },
});

/** How agents speak. `manner` is what the model is told. */
export const tones: readonly SeedEntry[] = [
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
