/** The languages offered, each with its own name and some questions to start with. */
export const languages = [
  {
    value: 'english',
    name: 'English',
    tag: 'en',
    questions: ['When are you open?', 'How can I pay?', 'Can I return a product?'],
  },
  { value: 'hindi', name: 'हिन्दी', tag: 'hi', questions: ['आप कब खुले रहते हैं?', 'डिलीवरी कब होती है?'] },
  { value: 'marathi', name: 'मराठी', tag: 'mr', questions: ['तुम्ही कधी उघडे असता?', 'माल परत करता येतो का?'] },
];
