import { aModelRequest, type Grounds } from '@parley/ports';
import { answerFrom } from '../answer';

const knowledge = `# The business
Name: Dune Clay
Kind: Shop
Telephone: +912024001122

# Products and services
- Tent peg. Price: 20 INR. Available.
- Copper mug. Price: 100 INR. Available.`;

const grounds: Grounds = { language: 'english', agentName: 'Maya', greeting: '', passages: [], knowledge };

describe('amounts in words', () => {
  it.each([
    ['How much are one and a half dozen tent pegs?', '₹360'],
    ['How much are two and a half dozen tent pegs?', '₹600'],
    ['ढाई दर्जन tent peg कितने के?', '₹600'],
    ['डेढ़ दर्जन copper mug कितने के?', '₹1,800'],
    ['How much are twenty-five copper mugs?', '₹2,500'],
  ])('%s', (question, said) => {
    expect(answerFrom(aModelRequest({ messages: [{ role: 'user', text: question }], grounds }))).toContain(said);
  });
});
