export async function* itemsOf<Item>(...items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
