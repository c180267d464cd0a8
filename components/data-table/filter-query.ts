/** The filters of the URL as a query string, in the order of `params`. Leaves out paging and panels. */
export function filterQuery(address: { get: (name: string) => string | null }, params: object): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(params)) {
    const value = address.get(name);
    if (value !== null && value !== "") query.set(name, value);
  }
  return query.toString();
}
