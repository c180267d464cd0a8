/** Moves the focus between the rows of the list on the page, or activates a control of the focused row. */
export function actOnRow(action: "next" | "previous" | "open" | "edit" | "select", editName: string): void {
  const rows = [...document.querySelectorAll<HTMLTableRowElement>("main table tbody > tr")].filter(isEntry);
  const current = document.activeElement?.closest<HTMLTableRowElement>("main table tbody > tr") ?? null;
  if (action === "next") focusRow(rows, current, 1);
  if (action === "previous") focusRow(rows, current, -1);
  if (!current) return;
  if (action === "select") current.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
  if (action === "edit") editButton(current, editName)?.click();
  if (action === "open") current.querySelector<HTMLElement>("a[href], button[aria-expanded], button")?.click();
}

/** An expanded detail is a row with one cell over all columns; it is not a list entry. */
const isEntry = (row: HTMLTableRowElement) => !(row.cells.length === 1 && (row.cells[0]?.colSpan ?? 1) > 1);

function focusRow(rows: HTMLTableRowElement[], current: HTMLTableRowElement | null, by: 1 | -1): void {
  const at = current ? rows.indexOf(current) : -1;
  const next = at === -1 ? (by === 1 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1);
  const row = rows[next];
  if (!row) return;
  row.tabIndex = -1;
  row.focus();
  row.scrollIntoView({ block: "nearest" });
}

/** In every list the edit button's label is "Edit …". */
function editButton(row: HTMLTableRowElement, editName: string): HTMLButtonElement | null {
  const buttons = [...row.querySelectorAll("button")];
  return buttons.find((button) => button.getAttribute("aria-label")?.startsWith(`${editName} `)) ?? null;
}
