/** A prompt as it was sent to the model. */
export interface PostedPrompt {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const weekdays = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
/** The sections that are present must be in this order. */
const sections = ['# Who you are', '# Rules of every answer', '# Knowledge (data)', '# Calendar of the coming 14 days (data)'];

/** What violates the rules of every prompt; empty if nothing does. */
export function complaintsOf({ messages, tools = [] }: PostedPrompt): string[] {
  const [system, ...said] = messages;
  const question = said.findLast(({ role }) => role === 'user')?.content ?? '';
  const text = system?.content ?? '';
  const places = sections.map((section) => text.indexOf(section)).filter((place) => place >= 0);
  const firstTool = tools[0]?.function.name;
  const checks: [isRight: boolean, complaint: string][] = [
    [system?.role === 'system', 'begins with what stays the same'],
    [messages.filter(({ role }) => role === 'system').length === 1, 'has one system message'],
    [text.includes('# Rules of every answer'), 'has the rules'],
    [
      places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0)),
      'has persona, rules, knowledge and calendar in order',
    ],
    [!new RegExp(`Now: ${weekdays}`).test(text), 'keeps the time out of what stays the same'],
    [
      new RegExp(`Now: ${weekdays},? \\d{1,2} \\w+ \\d{4}, \\d\\d:\\d\\d \\(.+\\)`).test(question),
      'tells weekday, date and time',
    ],
    [(question.match(/^Answer in /gmu) ?? []).length === 1, 'names one language'],
    [said.at(-1)?.role !== 'assistant', 'ends with the user or a tool'],
    [firstTool === undefined || firstTool === 'end_conversation', 'offers its tools in order'],
  ];
  return checks.flatMap(([isRight, complaint]) => (isRight ? [] : [complaint]));
}
