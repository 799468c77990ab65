interface Settings {
  readonly PUBLIC_URL?: string | undefined;
  readonly PORT: number;
}

/** Where browsers find the sockets: `wss://voice.example`. */
export const socketAddress = Symbol('where browsers find the sockets');

/** That address as the configuration has it. */
export function socketAddressOf({ PUBLIC_URL, PORT }: Settings): string {
  return (PUBLIC_URL ?? `http://127.0.0.1:${PORT}`).replace(/^http/, 'ws').replace(/\/+$/, '');
}
