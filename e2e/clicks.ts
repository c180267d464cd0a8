import type { Locator, Page } from "@playwright/test";
import { expect, expectInteractive } from "./fixtures";

const KEY = "e2e-clicks";
const BY_KEY = "key ";
const STEPS_MAX = 60;

/**
 * A job of a user or an operator, whose clicks are counted in the page itself: every press of the pointer, and every
 * Enter or Space that is more than typing. Typing, moving the focus and the command palette are free, and printed.
 */
export class Job {
  readonly page: Page;
  private readonly free: string[] = [];

  private constructor(page: Page) {
    this.page = page;
  }

  /** Opens the page where the signed-in account lands, and counts from there. */
  static async start(page: Page): Promise<Job> {
    await page.addInitScript(count, KEY);
    await page.goto("/token");
    await expectInteractive(page);
    await page.evaluate((key) => sessionStorage.removeItem(key), KEY);
    return new Job(page);
  }

  /** Types into a field. */
  async type(field: Locator, text: string): Promise<void> {
    this.free.push(`“${text}” typed`);
    await field.fill(text);
  }

  /** Finds something in the command palette, as its first result, and opens it. */
  async find(words: string, name: string | RegExp): Promise<void> {
    this.free.push(`⌘K “${words}”`);
    await this.page.keyboard.press("Control+k");
    const palette = this.page.getByRole("dialog", { name: "Command palette" });
    await palette.getByRole("combobox").fill(words);
    await expect(palette.getByRole("option", { name }).first()).toHaveAttribute("data-selected", "true");
    await this.page.keyboard.press("Enter");
    await expect(palette).toBeHidden();
  }

  /** Moves the focus with this key until it is at the target, and fails where nobody would see it. */
  async reach(target: Locator, key = "Tab"): Promise<void> {
    await expect(target).toBeVisible();
    const isReached = () => target.evaluate((element) => element === document.activeElement);
    for (let steps = 0; !(await isReached()); steps += 1) {
      expect(steps, "steps to the target").toBeLessThan(STEPS_MAX);
      await this.page.keyboard.press(key);
      await this.expectFocusSeen();
    }
    await this.expectFocusSeen();
  }

  /** Fails unless the user sees what has the focus. */
  async expectFocusSeen(): Promise<void> {
    await expect.poll(() => this.page.evaluate(describeFocus), { message: "a visible focus" }).toBe("seen");
  }

  /** Presses a key that is no click. */
  async press(key: string): Promise<void> {
    this.free.push(`key ${key}`);
    await this.page.keyboard.press(key);
  }

  /** What was clicked so far. */
  async clicked(): Promise<string[]> {
    const text = await this.page.evaluate((key) => sessionStorage.getItem(key), KEY);
    return text === null ? [] : (JSON.parse(text) as string[]);
  }

  /** Prints the keys of a job that is done with the keyboard alone, and fails if the pointer was pressed. */
  async expectNoClick(name: string): Promise<void> {
    const activated = await this.clicked();
    const clicks = activated.filter((what) => !what.startsWith(BY_KEY));
    process.stdout.write(`${name}: ${clicks.length} clicks; ${activated.join(", ")}; free: ${this.free.join(", ")}\n`);
    expect(activated.length, "a counter that counts").toBeGreaterThan(0);
    expect(clicks).toEqual([]);
  }

  /** Prints the count of the job and fails above its limit. */
  async expectAtMost(limit: number, name: string): Promise<void> {
    const clicked = await this.clicked();
    const free = this.free.length > 0 ? `; free: ${this.free.join(", ")}` : "";
    process.stdout.write(
      `${name}: ${clicked.length} of at most ${limit} clicks: ${clicked.map((what, at) => `${at + 1} ${what}`).join(", ")}${free}\n`,
    );
    expect(clicked.length, "a counter that counts").toBeGreaterThan(0);
    expect(clicked.length, clicked.join(", ")).toBeLessThanOrEqual(limit);
  }
}

/** Runs in the page. */
function describeFocus(): string {
  const focused = document.activeElement;
  if (!focused || focused === document.body) return "no element has the focus";
  const { top, bottom, width } = focused.getBoundingClientRect();
  const name = focused.outerHTML.slice(0, 200);
  if (width === 0 || bottom <= 0 || top >= window.innerHeight) return `the focus is out of sight: ${name}`;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  if (outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1) return "seen";
  // A text field has its caret, and a window that has just opened is all that is not dimmed.
  const isClear = focused.matches("textarea, input:not([type=checkbox], [type=radio]), [role=dialog]");
  return isClear ? "seen" : `the focus has no outline: ${name}`;
}

/** Runs in the page; the count survives a navigation. */
function count(key: string): void {
  if (Reflect.get(window, key)) return;
  Reflect.set(window, key, true);
  const NAME_MAX = 30;
  const nameOf = (target: Element) => {
    const control = target.closest("a, button, label, select, input, textarea, [role], tr") ?? target;
    const label = "labels" in control ? (control as HTMLInputElement).labels?.[0]?.textContent : null;
    const text = control.getAttribute("aria-label") ?? label ?? control.textContent ?? "";
    return text.trim().replace(/\s+/g, " ").slice(0, NAME_MAX) || control.tagName.toLowerCase();
  };
  const add = (what: string) => {
    const before = JSON.parse(sessionStorage.getItem(key) ?? "[]") as string[];
    sessionStorage.setItem(key, JSON.stringify([...before, what]));
  };
  const isTyping = (target: Element) =>
    target.matches("textarea, input:not([type=checkbox], [type=radio], [type=button], [type=submit])");
  window.addEventListener(
    "pointerdown",
    (event) => {
      if (event.isTrusted && event.target instanceof Element) add(nameOf(event.target));
    },
    true,
  );
  window.addEventListener(
    "keydown",
    ({ isTrusted, key: pressed, target }) => {
      if (!isTrusted || !(target instanceof Element) || target.closest("[cmdk-root]")) return;
      if (pressed === "Enter" || (pressed === " " && !isTyping(target))) {
        add(`key ${pressed === " " ? "Space" : pressed} on ${nameOf(target)}`);
      }
    },
    true,
  );
  // The list of a native choice is not part of the page: opening it is a press, choosing from it another.
  window.addEventListener(
    "change",
    ({ target }) => {
      if (target instanceof HTMLSelectElement) add(`choice in ${nameOf(target)}`);
    },
    true,
  );
}
