/** What is sold as one: a box of 100, a carton of 24 bottles. */
export interface Pack {
  /** What it is called, as written: `box`, `पैकेट`. */
  readonly word: string;
  readonly size: number;
  /** What is in it, where that is said. */
  readonly of: string;
  /** All of it, as written: `box of 100`. */
  readonly said: string;
}

/** A property of an item from a table or catalogue: a column with its unit, or a field of an entry. */
export interface ItemAttribute {
  /** In the words of the business: `Price`, `Rent per month`, `Stock`. */
  readonly name: string;
  readonly value: string;
  /** The unit after the number, from the cell or the column's heading: `INR`, `months`, `sq ft`. */
  readonly unit: string;
  /** What is written beside a price of taxes: "GST extra". */
  readonly remark?: string;
  /** The description that tells it in words. */
  readonly told?: string;
}

/** A thing with attributes: an entry of the catalogue or a row of a table. */
export interface FactItem {
  readonly kind: 'entry' | 'row';
  /** Its name: `Radiator (John Deere 5310)`. */
  readonly name: string;
  /** What kind of thing it is, where it stands: its category, its sheet, the heading over its table. */
  readonly category: string;
  readonly description: string;
  readonly attributes: readonly ItemAttribute[];
  /** How many its price is for, where it is sold in packs. */
  readonly pack: Pack | undefined;
}

/** A sentence with its context. */
export interface QuotableSentence {
  readonly text: string;
  /** The headings over it, or the question that it answers. */
  readonly heading: string;
  readonly before: string;
  readonly after: string;
  /** It answers a stored question and is said whole. */
  readonly isStored: boolean;
  /** The thing of the catalogue that it describes; it is said with its name. */
  readonly of?: string;
}

/** How to reach the business, by the names that the profile gives them. */
export type BusinessContact = Readonly<
  Record<'Name' | 'Kind' | 'About' | 'Telephone' | 'E-mail' | 'Website' | 'Address', string>
>;

/** A knowledge base read into what can be computed with and what can only be quoted. */
export interface BaseFacts {
  readonly contact: BusinessContact;
  readonly items: readonly FactItem[];
  readonly statements: readonly QuotableSentence[];
}
