/** The filters of the address as a query of their own, in the order of `params`; paging and panels are not among them. */
export function filterQuery(address: { get: (name: string) => string | null }, params: object): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(params)) {
    const value = address.get(name);
    if (value !== null && value !== "") query.set(name, value);
  }
  return query.toString();
}
