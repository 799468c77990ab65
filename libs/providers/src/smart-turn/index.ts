export { SmartTurn } from './smart-turn';
