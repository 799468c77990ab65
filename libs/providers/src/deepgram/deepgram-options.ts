export const deepgramBaseUrl = 'https://api.deepgram.com';
