/** A document of plain text, for upstreams that take only text. */
export function documentText(text: string, name: string | undefined): string {
  const title = name === undefined ? "" : ` title=${JSON.stringify(name)}`;
  return `<document${title}>\n${text}\n</document>`;
}
