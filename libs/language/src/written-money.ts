/** An amount with its currency and as many hundredths as it has: only rupees are grouped in lakhs, `₹15,00,000` but `$1,500,000`. */
export function writtenMoney(value: number, currency: string): string {
  const digits = Number.isInteger(value) ? 0 : 2;
  return new Intl.NumberFormat(currency === 'INR' ? 'en-IN' : 'en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(value);
}
