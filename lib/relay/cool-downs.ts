/** Channels that failed recently. They are tried last until their cool-down ends. One instance per process. */
export function createCoolDowns(now: () => number = Date.now) {
  const until = new Map<number, number>();
  return {
    start(channelId: number, forMs: number): void {
      if (forMs > 0) until.set(channelId, now() + forMs);
    },
    isCoolingDown(channelId: number): boolean {
      const end = until.get(channelId);
      if (end === undefined) return false;
      if (end > now()) return true;
      until.delete(channelId);
      return false;
    },
  };
}

export type CoolDowns = ReturnType<typeof createCoolDowns>;
