export { simulateCampaign, type Simulated } from './simulate-campaign';
