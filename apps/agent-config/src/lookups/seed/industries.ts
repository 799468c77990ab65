import { numbered } from './seed-entry';

/** The businesses that agents speak for. */
export const industries = numbered('industry', [
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
