import { expect, type Locator, type Page } from "@playwright/test";
import { type OptionCard, settingPath } from "../../lib/option/cards";
import { expectInteractive } from "../fixtures";

export class SettingPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Opens the page of a card. */
  async open(card: OptionCard): Promise<void> {
    await this.openAt(settingPath(card));
  }

  async openAt(path: string): Promise<void> {
    await this.page.goto(path);
    await expectInteractive(this.page);
    await expect(this.page.getByRole("heading", { level: 1 })).toBeVisible();
  }

  /** Goes to the page of a card by the list of pages, which is faster than loading it. The page must be saved. */
  async turnTo(card: OptionCard): Promise<void> {
    const link = this.page.locator(`nav a[href="${settingPath(card)}"]`);
    // Before React runs the page, the link would load the next one anew.
    await expectInteractive(this.page);
    if ((await link.getAttribute("aria-current")) !== "page") await link.click();
    await expect(link).toHaveAttribute("aria-current", "page");
    await expect(this.card(card)).toBeVisible();
  }

  /** A card by its id, which links also use. */
  card(id: string): Locator {
    return this.page.locator(`section#${id}`);
  }

  /** The element of an option by its key. */
  option(key: string): Locator {
    return this.page.locator(`[data-option="${key}"]`);
  }

  input(key: string): Locator {
    return this.option(key).locator("input, textarea, select").first();
  }

  switch(key: string): Locator {
    return this.option(key).getByRole("switch");
  }

  get saveBar(): Locator {
    return this.page.locator("[data-save-bar]");
  }

  /** Saves the open page. */
  async save(): Promise<void> {
    await this.saveBar.locator("button[type=submit]").click();
  }

  /** The toast with this text. */
  said(text: string): Locator {
    return this.page.locator("[data-sonner-toast]").filter({ hasText: text });
  }

  /** Saves the open page and waits for the success toast. */
  async saveWell(text = "Saved"): Promise<void> {
    await this.save();
    await this.expectSaved(text);
  }

  /** The same for prices and groups, which are saved after their effect was shown. */
  async saveWithEffect(text = "Saved"): Promise<void> {
    await this.save();
    const save = this.page.getByRole("dialog").getByRole("button", { name: /^(Save prices|保存价格)$/ });
    await save.click();
    await this.expectSaved(text);
  }

  private async expectSaved(text: string): Promise<void> {
    await expect(this.said(text).first()).toBeVisible();
    await expect(this.saveBar.getByText(/unsaved|未保存/)).toHaveCount(0);
  }

  async chinese(): Promise<void> {
    await this.page.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  }
}
