import { numbered } from './seed-entry';

/** What agents are made for. */
export const agentTypes = numbered('agent-type', [
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
