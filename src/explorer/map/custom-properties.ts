/**
 * Custom properties of CSS on an element of a template: `<div ${properties({ '--height': '20px' })}>`. A script must
 * set them, because the content security policy refuses `style` attributes.
 */
import { noChange } from 'lit-html';
import { Directive, directive, type ElementPart } from 'lit-html/directive.js';

class CustomProperties extends Directive {
  render(_values: Readonly<Record<string, string>>): unknown {
    return noChange;
  }

  override update(part: ElementPart, [values]: [Readonly<Record<string, string>>]): unknown {
    const { style } = part.element as HTMLElement;
    for (const [name, value] of Object.entries(values)) style.setProperty(name, value);
    return noChange;
  }
}

/** The directive: sets the custom properties on the element in whose tag it is used. */
export const properties = directive(CustomProperties);
