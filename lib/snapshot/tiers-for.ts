type Ranked = { id: number; priority: number };

/** The channels that have a model, by its own name or by one that it shares with others, the first to be asked first. */
export function tiersFor<Channel extends Ranked>(
  models: ReadonlyMap<string, readonly (readonly Channel[])[]> | undefined,
  model: string,
): readonly (readonly Channel[])[] {
  const shared = abilityName(model);
  const own = models?.get(model) ?? [];
  if (shared === model) return own;
  const others = models?.get(shared) ?? [];
  if (own.length === 0 || others.length === 0) return own.length === 0 ? others : own;
  const byPriority = new Map<number, Map<number, Channel>>();
  for (const channel of [...own, ...others].flat()) {
    const tier = byPriority.get(channel.priority) ?? new Map<number, Channel>();
    byPriority.set(channel.priority, tier.set(channel.id, channel));
  }
  return [...byPriority].toSorted(([one], [other]) => other - one).map(([, tier]) => [...tier.values()]);
}

/** Custom GPTs may share one entry in a channel's model list. */
export function abilityName(model: string): string {
  if (model.startsWith("gpt-4-gizmo")) return "gpt-4-gizmo-*";
  if (model.startsWith("gpt-4o-gizmo")) return "gpt-4o-gizmo-*";
  return model;
}
