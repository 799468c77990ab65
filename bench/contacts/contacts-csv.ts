const names = ['Ravi Kulkarni', 'Zoë Çelik', 'दीपिका शिंदे', '"Patil, Asha"', 'Sunil  Deshmukh'];
const places = ['Pune,Maharashtra,India', 'Mumbai,Maharashtra,India', 'नाशिक,Maharashtra,India', ',,'];
const firstNumber = 9_820_000_000;
const rowsPerPiece = 1_000;

/** A realistic spreadsheet of contacts; every `badEvery` rows, one has an invalid number. */
export async function* contactsCsv(count: number, badEvery: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('\ufeffCustomerName,ContactNumber,Email,City,State,Country\r\n');
  for (let from = 0; from < count; from += rowsPerPiece) {
    const indexes = Array.from({ length: Math.min(rowsPerPiece, count - from) }, (_, index) => from + index);
    yield Buffer.from(indexes.map((index) => row(index, index % badEvery === badEvery - 1)).join(''));
  }
}

function row(index: number, isBad: boolean): string {
  const number = isBad ? '98200' : String(firstNumber + index);
  return `${names[index % names.length]},${number},customer${index}@example.com,${places[index % places.length]}\r\n`;
}
