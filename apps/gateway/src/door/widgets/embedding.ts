/** Whether pages of an origin may embed a widget. */
export function isEmbeddable(allowedOrigins: readonly string[], origin: string): boolean {
  return allowedOrigins.some((allowed) => allowed.toLowerCase() === origin.toLowerCase());
}
