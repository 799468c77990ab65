const boundary = 'b0';

const part = (head: string, body = 'x', more = ''): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n${more}\r\n${body}\r\n`;
const end = `--${boundary}--\r\n`;
const text = (name: string, value: string): string => part(`name="${name}"`, value);
const file = (name: string, body = 'RIFF'): string => part(`name="${name}"; filename="a.wav"`, body);

interface Form {
  readonly body: string;
  readonly contentType: string;
}

const withBoundary = (body: string): Form => ({ body, contentType: `multipart/form-data; boundary=${boundary}` });

/** The bytes of a complete form, for tests to corrupt. */
export function formOf(fileField: string, fields: Record<string, string>): Form {
  return withBoundary(
    Object.entries(fields)
      .map(([name, value]) => text(name, value))
      .join('') +
      file(fileField) +
      end,
  );
}

/** Malformed forms, each with the status that refuses it. `fields` are those of a valid form. */
export function hostileForms(fileField: string, fields: Record<string, string>): [what: string, form: Form, status: number][] {
  const honest = formOf(fileField, fields);
  const texts = Object.entries(fields)
    .map(([name, value]) => text(name, value))
    .join('');
  const longText = Object.keys(fields)
    .map((name) => part(`name="${name}"; filename="a.txt"`, 'x'.repeat(100_000), 'Content-Type: text/plain\r\n'))
    .join('');
  const forged = JSON.stringify({ fileKey: 'uploads/99/theirs', fileName: 'a.wav', size: 4, contentType: 'audio/wav' });
  return [
    ['without a boundary', { ...honest, contentType: 'multipart/form-data' }, 400],
    ['with a boundary that never comes', { ...honest, contentType: 'multipart/form-data; boundary=other' }, 400],
    ['that is empty', withBoundary(''), 400],
    ['that is cut off in the file', withBoundary(honest.body.slice(0, -end.length - 3)), 400],
    ['that is cut off before the end', withBoundary(honest.body.slice(0, -end.length)), 400],
    ['with a thousand parts', withBoundary(texts + text('n', 'x').repeat(1000) + file(fileField) + end), 413],
    ['with two files', withBoundary(texts + file(fileField) + file(fileField) + end), 400],
    ['with a file of another name', withBoundary(texts + file('other') + end), 400],
    ['with a field of 100 kB', withBoundary(texts + text('n', 'x'.repeat(100_000)) + file(fileField) + end), 413],
    ['with text where the file belongs', withBoundary(texts + text(fileField, 'x') + end), 400],
    [
      'with a forged reference where the file belongs',
      withBoundary(texts + part(`name="${fileField}"`, forged, 'Content-Type: application/json\r\n') + end),
      400,
    ],
    [
      'with a forged reference after the file',
      withBoundary(texts + file(fileField) + part(`name="${fileField}"`, forged, 'Content-Type: application/json\r\n') + end),
      400,
    ],
    [
      'with an object for a field',
      withBoundary(texts + part('name="language"', '{"a":1}', 'Content-Type: application/json\r\n') + file(fileField) + end),
      400,
    ],
    ['with a text of 100 kB that names a file', withBoundary(longText + file(fileField) + end), 413],
    [
      'with a field that is no JSON though it says so',
      withBoundary(texts + part('name="n"', '{"a":', 'Content-Type: application/json\r\n') + file(fileField) + end),
      400,
    ],
    ['with a field called __proto__', withBoundary(texts + text('__proto__', 'x') + file(fileField) + end), 400],
    ['with a field name of 100 kB', withBoundary(texts + text('n'.repeat(100_000), 'x') + end), 400],
    ['that calls itself JSON', { body: '{}', contentType: 'application/json' }, 415],
  ];
}
