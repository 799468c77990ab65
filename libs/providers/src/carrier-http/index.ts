export { answerIn, askCarrier, basicAuth, type CarrierAnswer, type CarrierQuestion } from './ask-carrier';
export {
  asWebSocket,
  bodyOf,
  bySecret,
  element,
  emptyReply,
  fieldsOf,
  formOf,
  genuine,
  headerOf,
  isSame,
  jsonBodyOf,
  jsonReply,
  presentedSecret,
  publicUrlOf,
  queryOf,
  refused,
  withQuery,
  xmlReply,
} from './webhook-request';
export { ApiUrl, carrierTime, e164Digits, newest } from './credentials';
