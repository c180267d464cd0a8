import { restarting } from "../../base/relay-error";
import type { InHand } from "../../http/in-hand";
import type { UpstreamDrains } from "../../net/upstream-drains";
import { createRealtime, type RealtimeSettings } from ".";

type SessionsSettings = RealtimeSettings & { inHand: InHand; drains: UpstreamDrains };

/** Sessions over WebSockets, and how they and all that is in hand end when the process stops. */
export function createSessions(settings: SessionsSettings) {
  const { inHand, drains } = settings;
  const { upgrade, stopAt } = createRealtime(settings);
  const drainUntil = (endsAt: number): void => {
    stopAt(endsAt);
    for (const held of inHand.all()) held.keepsConnection(false);
  };
  const cutOff = (): void => {
    drains.stop();
    stopAt(performance.now());
    for (const held of inHand.all()) held.cutOff(restarting());
  };
  return { upgrade, drainUntil, cutOff };
}
