/** The logo of GOLD, an image of 256 by 256: a coin with a bar on it. Wallets fetch it, so it loads nothing itself. */
export const goldLogo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 256 256" role="img" aria-label="GOLD">
  <defs>
    <linearGradient id="coin" x1="0" y1="0" x2="1" y2="1">
      <stop offset="0" stop-color="#f7dc7a"/>
      <stop offset="1" stop-color="#b8860b"/>
    </linearGradient>
  </defs>
  <circle cx="128" cy="128" r="124" fill="url(#coin)"/>
  <circle cx="128" cy="128" r="106" fill="none" stroke="#8a6508" stroke-width="6"/>
  <path d="M88 96h80l12 28H76z" fill="#fff3c4"/>
  <path d="M76 124h104l12 44H64z" fill="#8a6508"/>
  <path d="M98 140h60v8H98z" fill="#f7dc7a"/>
</svg>
`;
