import type { Locator, Page } from "@playwright/test";

export class PersonalPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await this.page.goto("/setting?tab=personal");
    await this.page.getByRole("heading", { name: "Account", exact: true }).waitFor();
  }

  figure(id: "balance" | "spent" | "requests"): Locator {
    return this.page.getByTestId(`figure-${id}`);
  }

  get inviteLink(): Locator {
    return this.page.getByLabel("Invite link");
  }

  /** Clicks a button that opens a dialog and returns the dialog. */
  async dialog(button: string): Promise<Locator> {
    await this.page.getByRole("button", { name: button, exact: true }).first().click();
    return this.page.getByRole("dialog");
  }
}
