import type { OwnFactors, OwnPasskey } from "./factor-queries";
import type { OwnSession } from "./session-queries";
import type { Ticket } from "./ticket-commands";
import { deviceName } from "./user-agent";

/**
 * The data beside the refusal of a right password when a second factor is needed: the client sends `ticket` (valid for
 * `expires_in` seconds) back with the code. Clients that know nothing of it show the message and sign nobody in.
 */
export function toWireTicket({ ticket, expiresIn, methods }: Ticket) {
  return { require_2fa: true, ticket, expires_in: expiresIn, methods };
}

export function toWirePasskey(passkey: OwnPasskey) {
  return {
    id: passkey.id,
    name: passkey.name,
    created_at: passkey.createdAt,
    last_used_at: passkey.lastUsedAt ?? 0,
    backed_up: passkey.backedUp,
  };
}

/** `recovery_left` is null without an authenticator. */
export function toWireFactors(factors: OwnFactors) {
  return {
    has_password: factors.hasPassword,
    totp_enabled: factors.totp !== null,
    totp_enabled_at: factors.totp?.enabledAt ?? 0,
    recovery_left: factors.totp?.recoveryLeft ?? null,
    passkeys: factors.passkeys.map(toWirePasskey),
  };
}

export function toWireSession(session: OwnSession) {
  return {
    id: session.id,
    current: session.current,
    method: session.method,
    device: deviceName(session.device),
    client_ip: session.clientIp,
    created_at: session.createdAt,
    last_seen_at: session.lastSeenAt,
  };
}
