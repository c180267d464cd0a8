/** How the calls and results among some items are found. */
export type CallReader<Item> = {
  /** The ids of the calls in it; [] = none. */
  calls(item: Item): readonly string[];
  /** The id of the call whose result it is; null = it is none. */
  result(item: Item): string | null;
};

/**
 * The items with every result right behind its call, in the order in which the results came: the same list where this is
 * so already. OpenAI and everybody who follows it refuse a message between the two; in the Responses format it may stand there.
 * A result whose call is not there stays where it is. https://platform.openai.com/docs/guides/function-calling
 */
export function resultsBehindCalls<Item>(items: readonly Item[], { calls, result }: CallReader<Item>): readonly Item[] {
  if (!items.some((item) => result(item) !== null)) return items;
  const first = new Map<string, number>();
  items.forEach((item, at) => {
    for (const id of calls(item)) if (!first.has(id)) first.set(id, at);
  });
  if (first.size === 0) return items;
  // Some upstreams reuse ids, so the nearest call before a result is meant.
  const nearest = new Map<string, number>();
  const behind = new Map<number, Item[]>();
  const rest: { item: Item; at: number }[] = [];
  items.forEach((item, at) => {
    const id = result(item);
    const place = id === null ? undefined : (nearest.get(id) ?? first.get(id));
    const others = place === undefined ? undefined : behind.get(place);
    if (place === undefined) rest.push({ item, at });
    else if (others) others.push(item);
    else behind.set(place, [item]);
    for (const called of calls(item)) nearest.set(called, at);
  });
  const ordered = rest.flatMap(({ item, at }) => [item, ...(behind.get(at) ?? [])]);
  return ordered.every((item, at) => item === items[at]) ? items : ordered;
}
