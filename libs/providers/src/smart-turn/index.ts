export { SmartTurn, type SmartTurnOptions } from './smart-turn';
