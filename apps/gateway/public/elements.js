/** Makes an element. Text is always set as text, so nothing in an API description can become markup. */
export function el(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length > 0) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(key, String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** Text in which words between backticks become code and empty lines separate paragraphs. */
export function prose(text = '') {
  return text
    .split(/\n\n+/)
    .filter(Boolean)
    .map((paragraph) => el('p', {}, inline(paragraph)));
}

export function inline(text = '') {
  return text.split('`').map((part, index) => (index % 2 === 1 ? el('code', {}, part) : part));
}

/** A block of code with a copy button. `text` may be a function, for text that changes while the reader types. */
export function codeBlock(title, text) {
  const code = el('code', {}, typeof text === 'function' ? text() : text);
  const status = el('span.visually-hidden', { role: 'status' });
  const copy = el('button.quiet', { type: 'button', onclick: () => copyText(code.textContent, copy, status) }, 'Copy');
  const block = el(
    'figure.code',
    {},
    el('figcaption', {}, el('span', {}, title), copy, status),
    el('pre', { tabindex: 0, 'aria-label': title }, code),
  );
  block.update = () => {
    code.textContent = typeof text === 'function' ? text() : text;
  };
  return block;
}

async function copyText(text, button, status) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    status.textContent = 'Copied to the clipboard';
  } catch {
    button.textContent = 'Select and copy';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
    status.textContent = '';
  }, 1500);
}

export function methodBadge(method) {
  return el(`span.method.${method.toLowerCase()}`, {}, method.toUpperCase());
}

export function pretty(value) {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
