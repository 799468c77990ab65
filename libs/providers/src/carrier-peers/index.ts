export { StubCarrierApi } from '../carrier-http/stub-carrier-api';
export { type AskedOfPlatform, type CarrierPeer, carrierPeers, type MediaPlace } from './peers';
