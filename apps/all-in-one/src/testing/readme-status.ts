import { carriers } from '@parley/providers/carrier-catalogue';
import { languageModelProviders } from '@parley/providers/language-model-catalogue';
import { transcribeProviders, voiceProviders } from '@parley/providers/speech-catalogue';

interface Engine {
  readonly name: string;
  readonly isLocal: boolean;
  readonly settings: readonly string[];
  readonly grade: 'demo' | 'production';
}

/** The generated part of the README: every engine and carrier in the catalogues. */
export function readmeStatus(): string {
  const speech = new Set([...voiceProviders, ...transcribeProviders].map(({ name }) => name));
  return [
    table(['Speech engine', 'Speaks', 'Hears', 'Needs', 'Good for'], [...speech].map(speechRow)),
    table(
      ['Language model', 'Needs', 'Good for'],
      languageModelProviders.map((provider) => [provider.name, needs(provider), purpose(provider)]),
    ),
    table(
      ['Carrier', 'Places calls', 'Transfers', 'Signs its requests'],
      carriers.map(({ name, capabilities: { control, signs } }) => [
        name,
        control ? 'yes' : 'no',
        { command: 'yes', 'after-media': 'yes', never: 'no' }[control?.transfers ?? 'never'],
        signs.webhooks ? 'yes' : 'no',
      ]),
    ),
    // Verified by answered.spec.ts.
    'Every endpoint of the API document is answered.',
  ].join('\n\n');
}

function speechRow(name: string): string[] {
  const voice = voiceProviders.find((provider) => provider.name === name);
  const recognizer = transcribeProviders.find((provider) => provider.name === name);
  const engine: Engine | undefined = voice ?? recognizer;
  if (!engine) throw new TypeError(`no engine is called ${name}`);
  const heard = recognizer && `${spoken(recognizer.languages)}${recognizer.isLive ? '; live' : ''}`;
  return [name, voice ? spoken(voice.languages) : '', heard ?? '', needs(engine), purpose(engine)];
}

function spoken(languages: readonly string[]): string {
  return languages.map((language) => language.charAt(0).toUpperCase() + language.slice(1)).join(', ');
}

function needs({ settings, isLocal, grade }: Engine): string {
  if (settings.length > 0) return settings.map((setting) => `\`${setting}\``).join(', ');
  return isLocal && grade === 'production' ? 'a model: `npm run models`' : 'nothing';
}

const purpose = ({ grade }: Engine): string => (grade === 'demo' ? 'showing and testing' : 'use');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
