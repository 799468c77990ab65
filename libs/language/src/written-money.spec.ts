import { writtenMoney } from './written-money';

describe('writtenMoney', () => {
  it.each([
    [1_500_000, 'INR', '₹15,00,000'],
    [1_500_000, 'USD', '$1,500,000'],
    [1_250_000.5, 'GBP', '£1,250,000.50'],
    [120_000, 'EUR', '€120,000'],
    [2_350_000, 'AED', 'AED 2,350,000'],
    [95, 'INR', '₹95'],
  ])('writes %d %s as %s', (value, currency, written) => {
    expect(writtenMoney(value, currency).replaceAll('\u00a0', ' ')).toBe(written);
  });
});
