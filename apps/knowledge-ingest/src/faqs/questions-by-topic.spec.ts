import { QuestionsByTopic } from '../retrieval/ready-answers';

const questions = [
  'What are your timings?',
  'What does delivery cost?',
  'दुकान का पता क्या है?',
  'ऑर्डर कशी रद्द करायची?',
  'Do you deliver?',
  'Do you sell lockers?',
  'How can I pay?',
  'Do you take cash?',
  'Is cash accepted?',
].map((question, id) => ({ id, question }));
const stored = new QuestionsByTopic(questions);

describe('a question with a stored answer', () => {
  it.each([
    ['what are your hours', 0],
    ['आप का समय क्या है', 0],
    ['तुमची वेळ काय आहे', 0],
    ['how much is shipping', 1],
    ['डिलीवरी का कितना लगेगा', 1],
    ['डिलिव्हरीचे शुल्क किती', 1],
    ['where are you located', 2],
    ['dukan kahan hai', 2],
    ['how do I cancel my order', 3],
    ['मुझे ऑर्डर रद्द करना है', 3],
    ['लॉकर मिलते हैं क्या', 5],
    ['भुगतान कैसे करें', 6],
  ])('is found when asked as %j', (asked, id) => {
    expect(stored.find(asked)).toEqual(questions[id]);
  });

  it.each([
    ['where is my order', 'something else is somewhere'],
    ['why does delivery cost so much', 'the reason is asked'],
    ['did you deliver', 'the past is asked'],
    ['what time is it', 'the clock is asked'],
    ['when does it close', 'of the opposite'],
    ['where is it', 'what it is was said before'],
    ['what does it cost', 'what it is was said before'],
    ['what does delivery not cost', 'the answer is negated'],
    ['delivery within 2 days costs how much', 'a number makes another question of it'],
    ['what does a locker cost', 'only a part of it is stored'],
    ['can I pay by card', 'more is asked than is stored'],
    ['cash', 'two stored questions are about that'],
    ['hello', 'nothing is asked'],
    ['', 'nothing is said'],
  ])('is not found by %j: %s', (asked) => {
    expect(stored.find(asked)).toBeUndefined();
  });
});
