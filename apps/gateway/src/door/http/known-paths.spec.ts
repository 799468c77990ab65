import { KnownPaths } from './configure-http';

const paths = new KnownPaths();
paths.add('POST', '/invite/accept');
paths.add('DELETE', '/invite/:id');
paths.add('GET', '/keys');
paths.add('OPTIONS', '*');

test.each([
  ['/keys', ['GET', 'OPTIONS']],
  ['/keys?pageNo=2', ['GET', 'OPTIONS']],
  ['/invite/5', ['DELETE', 'OPTIONS']],
  ['/invite/', undefined],
  ['/invite/5/more', undefined],
  ['/', undefined],
])('the methods of %s', (url, methods) => expect(paths.methodsOf(url)).toEqual(methods));

test('a fixed path has none of the methods of the variable one that it fits', () => {
  expect(paths.methodsOf('/invite/accept')).toEqual(['OPTIONS', 'POST']);
});
