/** Where carriers find this installation. */
export class PublicAddress {
  /** Without a slash at its end. */
  readonly url: string;

  constructor(url: string) {
    this.url = url.replace(/\/+$/, '');
  }

  /** Where a carrier asks and tells about the calls of an account. */
  webhook(
    { carrier, keyId }: { readonly carrier: string; readonly keyId: string },
    what: 'answer' | 'status' | 'after' | 'document',
  ): string {
    return `${this.url}/telephony/${carrier}/${keyId}/${what}`;
  }

  /** Where the media of one call connects. */
  media(carrier: string, token: string): string {
    return `${this.url.replace(/^http/, 'ws')}/telephony/${carrier}/${token}`;
  }
}
