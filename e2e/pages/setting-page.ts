import { expect, type Locator, type Page } from "@playwright/test";
import { expectInteractive } from "../fixtures";

export class SettingPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(target = "?tab=operation"): Promise<void> {
    await this.page.goto(`/setting${target}`);
    await expectInteractive(this.page);
    await expect(this.page.getByRole("heading", { level: 1 })).toBeVisible();
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

  async save(card: string): Promise<void> {
    await this.card(card).locator("button[type=submit]").click();
  }

  /** The toast with this text. */
  said(text: string): Locator {
    return this.page.locator("[data-sonner-toast]").filter({ hasText: text });
  }

  /** Saves a card and waits for the success toast. */
  async saveWell(card: string, text = "Saved"): Promise<void> {
    await this.save(card);
    await expect(this.said(text).first()).toBeVisible();
    await expect(this.card(card).getByText(/unsaved|未保存/)).toHaveCount(0);
  }

  async chinese(): Promise<void> {
    await this.page.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  }
}
