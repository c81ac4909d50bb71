// Password hashes made by other programs: Python (passlib, bcrypt, argon2-cffi, Django, hashlib), PHP, and the example of
// Firebase's own documentation.

/** Composed (NFC); the hashes are of its UTF-8. */
export const PASSWORD = "grün & Tea 42!";

/** By the names of docs/sign-in.md "Imported passwords". */
export const HASHES: Record<string, string> = {
  "bcrypt $2b (py bcrypt)": "$2b$05$1lM5cj9WwJjbLPVnqirCBuZcs8PbdCV7Y1Il/U2VzL1LdmVvcBM1G",
  "bcrypt $2a (py bcrypt)": "$2a$05$ba31hKGVm9c4MGK1z/Ua8.5lWZzODCuU5uI8dNOj4TEMFwNKh/i96",
  "argon2i (argon2-cffi)":
    "$argon2i$v=19$m=512,t=2,p=2$Ygg6cZtdbKBi2aGK8z9rtQ$xrFltgeJpSUU0i+Ba4/TfNBC4cIeDbfmsx/VMTvuPeM",
  "argon2d (argon2-cffi)":
    "$argon2d$v=19$m=512,t=2,p=2$F77obN9g0J8Z8OIt8hVI7g$9cHZ+d7gPOTykNLlhir448nh6aJHB5pajkZCxjv1GnE",
  "argon2id (argon2-cffi)":
    "$argon2id$v=19$m=512,t=2,p=2$3+go16OqxqfocdOySoUb/w$jAf+RZ9hmkvb0zFpL0iPojERu1ENRTAm2Ky8k3U5NQA",
  "scrypt PHC (passlib)": "$scrypt$ln=10,r=8,p=1$Raj1vjcmRAhBCAGgdO4dow$fGSvdYc8Joe7uHDz92Bn9tzKC7tTuDtShwbiRhHzjL4",
  "scrypt $7$ (passlib)": "$7$86..../....tPa+V4rReo/R+n/vfa8V4g$K1DiXBbvlphZE3HrCoZi.TS2M/lbGn19DygkzOVCC2C",
  "PBKDF2-SHA1 (passlib)": "$pbkdf2$12000$zzknpBTi/N/bm/PeGyNkTA$Q4Zgky7IXE6/8FGMDt3RkXPRxUs",
  "PBKDF2-SHA256 (passlib)": "$pbkdf2-sha256$12000$BmAs5VyLMSZESEnJuXeOcQ$s5x2UTAf/Dom9tbo.9.v9eX8hSjouu4OBL109UINlzE",
  "PBKDF2-SHA512 (passlib)":
    "$pbkdf2-sha512$12000$vvdey3nPube2FmKsNYYwBg$kPCrf96pZ17K1vGTbn902xO6uTnlDtKf5jLRHYX5vBFCYrdwiKVs1f46OjEQ.lm56A2yKeKytXCKmEAiTVCuoA",
  "PBKDF2 PHC (hashlib)":
    "$pbkdf2-sha256$i=12000,l=32$Zn9zYx5DRQdvAfBhNXNS/Q$7IQQHuHOyPYyjJSJJG8yJJlQU1GYeZKypd6Q+t/iun0",
  "SSHA256 (hashlib)": "{SSHA256}vvC103oQmETXmGkSGbkdBoKrKj/x+wIhzBpXJ1zPV6Rmf3NjHkNFB28B8GE1c1L9",
  "SSHA512 (hashlib)":
    "{SSHA512}zEWzGJ5QufJ49eeNW3XXEPaR2QsLk9WHTESFrI9gDsRwmwYQAPULl4DJydxPZNzETKXwjT+1kD7c1iw2Pk3Js2Z/c2MeQ0UH",
  "Django PBKDF2": "pbkdf2_sha256$12000$saltSALTsalt$ycxteid94Brd4wF+jCesI6UAiTfqJmxQXd3suk0gsME=",
  "Django PBKDF2-SHA1": "pbkdf2_sha1$12000$saltSALTsalt$2Om1DHo/un2HbH326NYnkx9W8hM=",
  "Django argon2": "argon2$argon2id$v=19$m=1024,t=1,p=1$c2FsdFNBTFRzYWx0$AWyTedqvQhVVntdeDyCHV5e4QHxGYYfDsD9sNEREJAY",
  "Django bcrypt_sha256": "bcrypt_sha256$$2b$05$l4/ttAPINXt8mNjgyYxoIOVZa3J1X4P4dW/Mzk/uvXsyKVLYAY9uO",
  "Django bcrypt": "bcrypt$$2b$05$/9cTvS8jvReBZDy8HpnrxOFcX3ByWE83BeQhEWHzYUCIETXk6aGRq",
  "Django scrypt":
    "scrypt$1024$saltSALTsalt$8$1$gv5w0g4pGNeCIlCsPX1y7hqx6sM12HqbNkbqqs64PQPeDv7wbvjeDw3Lm+tifnk6pnv7qkoJSHRyeG5fvQBjtg==",
  "ASP.NET Identity v3 sha1 (hashlib)":
    "AQAAAAAAACcQAAAAEGZ/c2MeQ0UHbwHwYTVzUv2C+JjzROH8C95ScZoYIpFuFOntog/y8WpIaTLh6ZBsSA==",
  "ASP.NET Identity v3 sha256 (hashlib)":
    "AQAAAAEAACcQAAAAEGZ/c2MeQ0UHbwHwYTVzUv1/fp2bpyOafU+926gHex2SztnRWVXURhZdKEp0vrmA+Q==",
  "ASP.NET Identity v3 sha512 (hashlib)":
    "AQAAAAIAACcQAAAAEGZ/c2MeQ0UHbwHwYTVzUv3Qu2+arNAJMIzB5CSVQ8cvd+ef9xaNo7bO0dNTW1G3EQ==",
  "Keycloak pbkdf2-sha256 (hashlib)":
    '{"type": "password", "secretData": "{\\"value\\": \\"BGNl6IedCxia+HPKFDn+obx3Sc6A7fe2fYTetIYsj9noJ1iV7+pWVQWkB9qGe10b61p3Foz8rI8+F5Ahb043jA==\\", \\"salt\\": \\"Zn9zYx5DRQdvAfBhNXNS/Q==\\", \\"additionalParameters\\": {}}", "credentialData": "{\\"hashIterations\\": 27500, \\"algorithm\\": \\"pbkdf2-sha256\\", \\"additionalParameters\\": {}}"}',
  "Keycloak argon2 (argon2-cffi)":
    '{"type": "password", "secretData": "{\\"value\\": \\"i871qSyzHfxeoeohGgMjVX19OSDDhoSQrSXj8oexVF4=\\", \\"salt\\": \\"Zn9zYx5DRQdvAfBhNXNS/Q==\\", \\"additionalParameters\\": {}}", "credentialData": "{\\"hashIterations\\": 3, \\"algorithm\\": \\"argon2\\", \\"additionalParameters\\": {\\"hashLength\\": [\\"32\\"], \\"memory\\": [\\"1024\\"], \\"type\\": [\\"id\\"], \\"version\\": [\\"1.3\\"], \\"parallelism\\": [\\"1\\"]}}"}',
  "PHP bcrypt $2y": "$2y$05$3dvJ02xQ.PMtnZpFlnpI9u1ZhVBsVBWb845MQT2MOoCsH8i7QU6MC",
  "PHP argon2id": "$argon2id$v=19$m=512,t=2,p=1$alNpcnJHaTk3UmEuZmVJZw$lNf63lWannhBfT0kEptoxz/2sxVFSCzPYmka9Z9jKys",
  "PHP argon2i": "$argon2i$v=19$m=512,t=2,p=1$dUlaajg1QnhiNmpNS0NRaw$X4HGf/54ZHt4gSqxl7sq348YWpVTLGow6BIE9J+W/QM",
};

export const FIREBASE = {
  password: "user1password",
  hash:
    "$firescrypt$ln=14,r=8,p=1$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+" +
    "VHjoZilo78198JAdRuid5lQ==$Bw==$jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
};

/** bcrypt's own test: it ignores what follows 72 bytes. */
export const LONG = {
  password: "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored",
  hash: "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui",
};
